/** What must never leave the server, recognised by its form. */
const SECRETS: Record<string, RegExp> = {
  'a JSON Web Token': /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/,
  'an AWS access key id': /\b(?:ASIA|AKIA)[A-Z0-9]{12,}\b/,
  'an AWS signature': /AWS4-HMAC-SHA256|x-amz-security-token/i,
  'AWS credentials': /"?(?:SecretKey|SecretAccessKey|SessionToken|secretAccessKey)"?\s*[:=]\s*"?\w/,
  'a token by name':
    /"?(?:access_token|id_token|refresh_token|accessToken|idToken|refreshToken|client_secret)"?\s*[:=]\s*"?[\w-]{16,}/,
};

/** Which kind of secret stands in the text, or null. */
export function findSecret(text: string): string | null {
  return Object.entries(SECRETS).find(([, form]) => form.test(text))?.[0] ?? null;
}
