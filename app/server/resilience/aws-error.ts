/** How AWS's JSON services and AppSync name what went wrong. */
import { z } from 'zod';

const errorBody = z.object({
  code: z.string().optional(),
  __type: z.string().optional(),
  message: z.string().optional(),
  Message: z.string().optional(),
});

/**
 * Code and message of a failed answer, from the header `x-amzn-errortype` or the body. The code is the bare name:
 * `NotAuthorizedException` for `NotAuthorizedException:http://...` and for `com.amazonaws...#NotAuthorizedException`
 * (Smithy AWS JSON 1.1 protocol, "Operation error serialization"). A body that says nothing gives `UnknownError`.
 */
export function readAwsError(
  headers: Pick<Headers, 'get'>,
  body: unknown,
): { code: string; message: string } {
  const fields = errorBody.safeParse(body).data ?? {};
  const named = headers.get('x-amzn-errortype') ?? fields.code ?? fields.__type ?? '';
  const code = (named.split(/[,:]/, 1)[0] ?? '').split('#').pop();
  return { code: code || 'UnknownError', message: fields.message ?? fields.Message ?? 'Unknown error' };
}
