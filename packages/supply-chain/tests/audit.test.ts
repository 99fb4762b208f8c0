import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findUnknownAdvisories, parseAuditReport } from '../audit/unknown-advisories.ts';

const known = readFileSync('security/advisories.json', 'utf8');

/** An advisory as `npm audit --json` reports it. */
const advisory = (id: string, name: string) => ({
  source: 1,
  name,
  dependency: name,
  title: 'A title',
  url: `https://github.com/advisories/${id}`,
  severity: 'high',
  cwe: [],
  cvss: { score: 7.5, vectorString: null },
  range: '<3.0.0',
});

const report = (...advisories: object[]) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: {
      'turbo-stream': { name: 'turbo-stream', via: advisories },
      '@remix-run/react': { name: '@remix-run/react', via: ['turbo-stream', ...advisories.slice(0, 1)] },
    },
  });

/** Returns the ids of unknown advisories in a report. */
function unknownIds(text: string): (string | undefined)[] | string {
  const parsed = parseAuditReport(text);
  if ('problem' in parsed) return parsed.problem;
  return findUnknownAdvisories(parsed.advisories, known).map(({ url }) => url.split('/').at(-1));
}

describe('npm run audit', () => {
  it('accepts advisories that security/advisories.json contains', () => {
    expect(unknownIds(report(advisory('GHSA-rxv8-25v2-qmq8', 'turbo-stream')))).toEqual([]);
  });

  it('reports an unknown advisory once, whatever its severity and however many packages depend on it', () => {
    const unknown = { ...advisory('GHSA-xxxx-xxxx-xxxx', 'turbo-stream'), severity: 'low' };
    expect(unknownIds(report(unknown, advisory('GHSA-rxv8-25v2-qmq8', 'turbo-stream')))).toEqual([
      'GHSA-xxxx-xxxx-xxxx',
    ]);
  });

  it.each([
    ['an error of the registry', '{"error":{"code":"E405","summary":"Method Not Allowed"}}'],
    ['no JSON', 'npm error audit endpoint returned an error'],
    ['nothing', ''],
  ])('does not take %s for a report without advisories', (_what, text) => {
    expect(parseAuditReport(text)).toEqual({ problem: text || 'no output' });
  });
});
