/** Compares the report of `npm audit` with security/advisories.json. */
import { z } from 'zod';

const viaSchema = z.object({
  name: z.string(),
  title: z.string(),
  url: z.string(),
  severity: z.string(),
  range: z.string(),
});
/** Version 2 of the report. An entry names advisories of the package itself, or other packages that it depends on. */
const reportSchema = z.object({
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), viaSchema])) })),
});
const knownSchema = z.object({ advisories: z.array(z.object({ ids: z.array(z.string()) })) });

export type ReportedAdvisory = z.infer<typeof viaSchema>;

/** Returns the advisories of a report, each once, or why the text is no report. */
export function parseAuditReport(text: string): { advisories: ReportedAdvisory[] } | { problem: string } {
  const report = reportSchema.safeParse(parseJson(text));
  if (!report.success) return { problem: text.trim().slice(0, 500) || 'no output' };
  const found = Object.values(report.data.vulnerabilities).flatMap(({ via }) => via);
  const advisories = found.filter((entry) => typeof entry !== 'string');
  return {
    advisories: [...new Map(advisories.map((entry) => [`${entry.url} ${entry.name}`, entry])).values()],
  };
}

/** Returns the reported advisories whose GHSA id is not in `known`, the text of security/advisories.json. */
export function findUnknownAdvisories(
  reported: readonly ReportedAdvisory[],
  known: string,
): ReportedAdvisory[] {
  const ids = new Set(knownSchema.parse(JSON.parse(known)).advisories.flatMap((advisory) => advisory.ids));
  return reported.filter(({ url }) => !ids.has(url.slice(url.lastIndexOf('/') + 1)));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
