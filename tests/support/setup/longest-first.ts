import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The test files that take longest, the longest first. */
const LONGEST = [
  'tests/routes/security/fuzzed-requests.test.ts',
  'tools/doctor/tests/services.test.ts',
  'tools/aws/tests/deploy.test.ts',
  'tests/routes/process/graceful-shutdown.test.ts',
  'tests/routes/security/open-redirects.test.ts',
  'tests/routes/process/ended-sessions.test.ts',
  'tests/routes/security/costly-requests.test.ts',
  'tests/routes/pages/test-message/test-message.test.ts',
  'tests/routes/process/nginx.test.ts',
  'tests/routes/process/several-machines.test.ts',
  'tools/doctor/tests/shared-store.test.ts',
  'tests/routes/sign-in/callback.test.ts',
  'tests/routes/sign-in/refresh.test.ts',
  'tests/routes/process/connections.test.ts',
  'tests/unit/server/shared-store/redis-store.test.ts',
  'tools/doctor/tests/account.test.ts',
  'tools/setup/tests/cloud.test.ts',
];

/**
 * Runs the longest test files first, so that at the end no worker waits for another. Vitest does that by itself only
 * when it has run all files before.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(file));
  return place === -1 ? LONGEST.length : place;
}
