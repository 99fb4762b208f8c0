/** Who may assume a role. IAM's simulation ignores trust policies, so the doctor reads them. */
import { z } from 'zod';

const texts = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const statement = z.object({
  Effect: z.string(),
  Principal: z
    .union([z.string(), z.object({ Service: texts.optional(), Federated: texts.optional() })])
    .optional(),
  Condition: z.record(z.string(), z.record(z.string(), texts)).optional(),
});
const document = z.object({ Statement: z.union([statement, z.array(statement)]) });

export type Trust = {
  /** Services that may assume the role, such as `appsync.amazonaws.com`. */
  services: readonly string[];
  /** Identity providers, such as `cognito-identity.amazonaws.com`. */
  providers: readonly string[];
  /** The values of each condition key, whatever its operator. */
  conditions: Readonly<Record<string, readonly string[]>>;
};

/** The allowing statements of a trust policy as `GetRole` returns it. Empty for one that cannot be read. */
export function parseTrust(encoded = ''): Trust[] {
  let parsed: z.infer<typeof document>;
  try {
    parsed = document.parse(JSON.parse(decodeURIComponent(encoded)));
  } catch {
    return [];
  }
  return [parsed.Statement]
    .flat()
    .filter(({ Effect }) => Effect === 'Allow')
    .map(({ Principal, Condition = {} }) => {
      const principal = typeof Principal === 'object' ? Principal : {};
      const conditions = Object.assign({}, ...Object.values(Condition)) as Record<string, string[]>;
      return { services: principal.Service ?? [], providers: principal.Federated ?? [], conditions };
    });
}
