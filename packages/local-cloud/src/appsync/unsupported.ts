import { operations } from './dynamodb-data-source.ts';
import { createResolverLibrary } from './resolver-library.ts';

const USES =
  /\b(?:util|runtime|extensions)(?:\.\w+)+|\bselectionSet(?:List|GraphQL)\b|\boperation: ['"]\w+['"]|\bfrom ['"](?!\.)[^'"]+['"]/g;
const COMMENT = /^\s*(?:\/?\*|\/\/)/;

/** It has the same names in every call. */
const library: object = createResolverLibrary({
  clock: Date.now,
  mode: 'iam',
  info: { parentTypeName: '', fieldName: '', variables: {} },
  appendError() {},
});

/**
 * Returns what a file of a resolver uses that AppSync has and the local cloud lacks: functions of `util`, operations of
 * DynamoDB, modules of AppSync and the selection of the request, each with file and line.
 */
export function unsupportedUses(source: string, file: string): string[] {
  return source
    .split('\n')
    .flatMap((line, index) =>
      (COMMENT.test(line) ? [] : (line.match(USES) ?? []))
        .filter((use) => !isSupported(use))
        .map((use) => `${file}:${index + 1}: ${use}`),
    );
}

function isSupported(use: string): boolean {
  const [, kind, name = ''] = /^(from|operation:) ['"](.+)['"]$/.exec(use) ?? [];
  if (kind === 'from') return name === '@aws-appsync/utils';
  if (kind === 'operation:') return operations.includes(name);
  let value: unknown = library;
  for (const part of use.split('.')) {
    value = value instanceof Object ? Object.entries(value).find(([key]) => key === part)?.[1] : undefined;
  }
  return value !== undefined;
}
