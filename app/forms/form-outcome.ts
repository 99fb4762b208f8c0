/** What a form's action returns. Plain data: it is the same with and without scripts. */

/**
 * Why a form, or a call of a page, failed although each field is valid. `common.json` has a text for each code under
 * `form.error`. `not-accepted` means that it breaks a rule of the data API. Only the browser reports `offline` and
 * `no-answer`, which means that the form may have arrived.
 */
export type RefusalCode =
  | 'not-accepted'
  | 'too-large'
  | 'too-many-requests'
  | 'signed-out'
  | 'refused'
  | 'busy'
  | 'timeout'
  | 'unavailable'
  | 'unknown'
  | 'offline'
  | 'no-answer';

/** `retryAfter` is in seconds, null if the server named no time. */
export type Refusal = { code: RefusalCode; retryAfter: number | null };

/** `errors` has the code of an error for each invalid field, and `values` what the visitor typed. */
export type FormFailure<Code extends string = string> = {
  type: 'failed';
  refusal: Refusal | null;
  errors: Readonly<Record<string, Code>>;
  values: Readonly<Record<string, string>>;
};

/** `notice` names what the page says. */
export type FormSuccess<Notice extends string = string> = { type: 'done'; notice: Notice };

export type FormOutcome = FormFailure | FormSuccess;

const statuses: Record<RefusalCode, number> = {
  'signed-out': 401,
  'too-large': 413,
  'not-accepted': 422,
  'too-many-requests': 429,
  unknown: 500,
  refused: 502,
  unavailable: 502,
  busy: 503,
  offline: 503,
  timeout: 504,
  'no-answer': 504,
};

/** The HTTP status of a response with a refusal. */
export function statusOfRefusal(code: RefusalCode): number {
  return statuses[code];
}

const codes: Readonly<Record<number, RefusalCode>> = {
  401: 'signed-out',
  408: 'no-answer',
  413: 'too-large',
  429: 'too-many-requests',
  502: 'unavailable',
  503: 'busy',
  504: 'timeout',
};

/** The refusal that a response means whose status is not that of a success. */
export function refusalOfStatus(status: number, retryAfter: number | null = null): Refusal {
  return { code: codes[status] ?? 'unknown', retryAfter };
}

/** The texts of a form's fields, without files. */
export function valuesOf(form: FormData): Record<string, string> {
  const texts = [...form].filter((field): field is [string, string] => typeof field[1] === 'string');
  return Object.fromEntries(texts);
}

/** The form as it was typed, with the reason why it failed. */
export function refused(refusal: Refusal, form: FormData): FormFailure<never> {
  return { type: 'failed', refusal, errors: {}, values: valuesOf(form) };
}
