/** The protocol of CloudFormation: requests are forms, responses are XML. */

export type XmlValue =
  | string
  | number
  | Date
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue | undefined };

/** An error response of AWS. */
export class AwsError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

/** The response of an operation. */
export function formatResponse(
  action: string,
  result: { readonly [name: string]: XmlValue | undefined },
): string {
  return `<${action}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${action}Result>${toXml(result)}</${action}Result><ResponseMetadata><RequestId>5e1f4a2c</RequestId></ResponseMetadata></${action}Response>`;
}

/** The response for an error. */
export function formatError({ code, message }: AwsError): string {
  return `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error><RequestId>5e1f4a2c</RequestId></ErrorResponse>`;
}

/** The objects of a list in a form: `Tags.member.1.Key=a&Tags.member.1.Value=b`. */
export function readMembers(form: URLSearchParams, list: string): Record<string, string>[] {
  const members: Record<string, string>[] = [];
  for (const [name, value] of form) {
    const [, index, field = ''] = new RegExp(`^${list}\\.member\\.(\\d+)\\.?(.*)$`).exec(name) ?? [];
    if (index === undefined) continue;
    members[Number(index) - 1] = { ...members[Number(index) - 1], [field]: value };
  }
  return members;
}

function toXml(value: XmlValue): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeXml(String(value));
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => `<member>${toXml(item)}</member>`).join('');
  return Object.entries(value)
    .map(([name, item]) => (item === undefined ? '' : `<${name}>${toXml(item)}</${name}>`))
    .join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
