import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import asvs from './fixtures/asvs-5.0.0.json' with { type: 'json' };

/** Documents that compare the site with a standard, requirement by requirement. */
const documents = ['asvs.md', 'rfc9700.md', 'oauth-browser-based-apps.md'];

const VERDICTS = ['met', 'partly', 'not met', 'not applicable', 'by Cognito'] as const;
type Verdict = (typeof VERDICTS)[number];

/** A row of a table: `| number | … | requirement | verdict | evidence or reason |`. */
interface Row {
  number: string;
  level: string;
  verdict: string;
  evidence: string;
}

/** A link to the evidence: `[“test title”](../tests/…)`, or a name in code that the linked file contains. */
interface Evidence {
  text: string;
  file: string;
}

describe.each(documents)('docs/%s', (document) => {
  const text = readFileSync(join('docs', document), 'utf8');
  const rows = parseRows(text);

  it('gives every requirement one of the verdicts and a text', () => {
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(({ verdict }) => !isVerdict(verdict))).toEqual([]);
    expect(rows.filter(({ evidence }) => evidence.length < 15)).toEqual([]);
  });

  it('names a file for every requirement that it calls met', () => {
    const withoutFile = rows.filter(({ verdict, evidence }) => verdict === 'met' && !evidence.includes(']('));
    expect(withoutFile).toEqual([]);
  });

  it('names only tests, functions and settings that exist', () => {
    expect(parseEvidence(text).filter((evidence) => !exists(evidence))).toEqual([]);
  });

  it('counts the verdicts correctly in its summary', () => {
    const stated = Object.fromEntries(
      VERDICTS.map((verdict) => [
        verdict,
        Number(new RegExp(`\\*\\*(\\d+) ${verdict}\\*\\*`).exec(text)?.[1]),
      ]),
    );
    expect(stated).toEqual(countVerdicts(rows));
  });
});

describe('docs/asvs.md', () => {
  const text = readFileSync('docs/asvs.md', 'utf8');
  const rows = parseRows(text);

  it('contains each requirement of levels 1 and 2 once, in order, with its level', () => {
    const requirements = Object.entries(asvs.levels).flatMap(([section, levels]) =>
      levels.map((level, index) => [`${section}.${index + 1}`, level]),
    );
    expect(rows.map(({ number, level }) => [number, Number(level)])).toEqual(requirements);
  });

  it('counts the verdicts of each chapter correctly', () => {
    const chapters = [...new Set(rows.map(({ number }) => number.split('.', 1)[0]))];
    for (const chapter of chapters) {
      const counts = countVerdicts(rows.filter(({ number }) => number.startsWith(`${chapter}.`)));
      const [, stated = ''] = new RegExp(`^\\| \\[V${chapter} .*\\) \\| (.*) \\|$`, 'm').exec(text) ?? [];
      expect(stated.split(' | ').map(Number), `V${chapter}`).toEqual(
        VERDICTS.map((verdict) => counts[verdict]),
      );
    }
  });
});

function isVerdict(text: string): text is Verdict {
  return VERDICTS.some((verdict) => verdict === text);
}

/** Rows start with a number, such as `| 2.1.1 |`. */
function parseRows(text: string): Row[] {
  return text
    .split('\n')
    .filter((line) => /^\| \d[\d., to]* \| [^|]+ \| [^|]+ \| [^|]+ \|/.test(line))
    .map((line) => {
      const cells = line.slice(2, -2).split(' | ');
      const [number = '', level = ''] = cells;
      return { number, level, verdict: cells.at(-2) ?? '', evidence: cells.at(-1) ?? '' };
    });
}

function parseEvidence(text: string): Evidence[] {
  const links = text.matchAll(/\[(“[^\]]+”|`[^`]+`)\]\(\.\.\/([^)]+)\)/g);
  return [...links].map(([, name = '', file = '']) => ({ text: name, file }));
}

/** A title must be that of a test that runs; anything else must occur in the file. */
function exists({ text, file }: Evidence): boolean {
  const content = readFileSync(file, 'utf8');
  const name = text.slice(1, -1);
  if (!text.startsWith('“')) return content.includes(name);
  const title = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "\\\\?'");
  return new RegExp(`(?:\\b(?:it|test|describe)(?:\\.skipIf\\(.*)?\\(|\\)\\()\\s*['"\`]${title}['"\`]`).test(
    content,
  );
}

function countVerdicts(rows: readonly Row[]): Record<Verdict, number> {
  const counts = { met: 0, partly: 0, 'not met': 0, 'not applicable': 0, 'by Cognito': 0 };
  for (const { verdict } of rows) if (isVerdict(verdict)) counts[verdict] += 1;
  return counts;
}
