/** `npm run audit`: runs `npm audit` and fails for advisories that security/advisories.json does not contain. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findUnknownAdvisories, parseAuditReport } from './audit/unknown-advisories.ts';

/** Returns what `npm audit` prints. It exits with 1 when it finds anything. */
function runAudit(): Promise<string> {
  return new Promise((resolve) => {
    execFile('npm', ['audit', '--json'], { maxBuffer: 64 * 1024 * 1024 }, (_error, output) =>
      resolve(output),
    );
  });
}

const report = parseAuditReport(await runAudit());
if ('problem' in report) {
  console.error(`npm audit did not run: ${report.problem}`);
  process.exitCode = 2;
} else {
  const known = readFileSync('security/advisories.json', 'utf8');
  const unknown = findUnknownAdvisories(report.advisories, known);
  for (const { name, severity, title, url, range } of unknown) {
    console.error(`${severity}  ${name} ${range}  ${title}\n  ${url}`);
  }
  console.log(
    `npm audit: ${report.advisories.length} advisories, ${unknown.length} of them not in security/advisories.json`,
  );
  if (unknown.length > 0) process.exitCode = 1;
}
