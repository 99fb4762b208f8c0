import { z } from 'zod';

const faultyServices = [
  'authorize',
  'token',
  'revoke',
  'jwks',
  'cognito-idp',
  'cognito-identity',
  'graphql',
] as const;

/** A service whose calls are counted and can fail. */
export type FaultyService = (typeof faultyServices)[number];

const fault = z
  .strictObject({
    service: z.enum(faultyServices),
    /** Limits the fault to one operation: an AWS operation, a `grant_type` or the name of a GraphQL operation. */
    operation: z.string().optional(),
    kind: z.enum(['status', 'hang', 'slow', 'reset', 'html', 'invalid-json', 'error']),
    status: z.int().min(200).max(599).optional(),
    /** An AWS error type or an OAuth error code. */
    error: z.string().optional(),
    /** The error message for the kind `error`, for errors that clients distinguish by their message. */
    message: z.string().optional(),
    delayMs: z.int().min(0).max(600_000).optional(),
    /** How many calls the fault affects. Without it the fault affects all calls. */
    times: z.int().min(1).optional(),
  })
  .refine((value) => value.kind !== 'error' || value.error, {
    path: ['error'],
    error: 'is required for a fault of kind "error"',
  })
  .refine((value) => value.kind !== 'status' || value.status, {
    path: ['status'],
    error: 'is required for a fault of kind "status"',
  });

const faultSettings = z.strictObject({
  faults: z.array(fault).max(100).default([]),
  /** The lifetime of ID tokens and access tokens. */
  tokenSeconds: z.int().min(1).max(86_400).default(3_600),
  /** The grace period in which a replaced refresh token remains valid. */
  rotationGraceSeconds: z.int().min(0).max(60).default(60),
  /** How far the local cloud's clock is ahead of the machine's. */
  clockSkewSeconds: z.int().min(-86_400).max(86_400).default(0),
  /** Whether the authorization endpoint requires a `code_challenge`. Cognito does not. */
  requirePkce: z.boolean().default(false),
  /** The fields that the role of signed-in users does not permit, such as `Mutation.deleteMessage`. */
  deniedFields: z
    .array(z.string().regex(/^\w+\.\w+$/))
    .max(100)
    .default([]),
});

export type Fault = z.infer<typeof fault>;
export type FaultSettings = z.infer<typeof faultSettings>;

/** Parses the settings of `POST /_faults`. Missing settings get their defaults. Throws `ZodError`. */
export function parseFaultSettings(value: unknown): FaultSettings {
  return faultSettings.parse(value);
}
