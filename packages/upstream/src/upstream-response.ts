import { z } from 'zod';

/** Parses JSON. Returns undefined when `text` is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const errorBody = z.object({
  code: z.string().optional(),
  __type: z.string().optional(),
  message: z.string().optional(),
  Message: z.string().optional(),
});

/**
 * Code and message of an error response from an AWS JSON service or AppSync. The code is the bare name:
 * `NotAuthorizedException` for `NotAuthorizedException:http://...` and for `com.amazonaws...#NotAuthorizedException`
 * (Smithy AWS JSON 1.1 protocol, "Operation error serialization"). Without a code it is `UnknownError`. Without a message it
 * names the status.
 */
export function parseAwsError(
  { status, headers }: { status: number; headers: Pick<Headers, 'get'> },
  body: unknown,
): { code: string; message: string } {
  const fields = errorBody.safeParse(body).data ?? {};
  const type = headers.get('x-amzn-errortype') ?? fields.code ?? fields.__type ?? '';
  const code = (type.split(/[,:]/, 1)[0] ?? '').split('#').pop();
  return {
    code: code || 'UnknownError',
    message: fields.message ?? fields.Message ?? `The status is ${status}.`,
  };
}
