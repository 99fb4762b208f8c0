/** Two builds interleaved in one run. Every figure is the ratio of this build to the other one. */
import type { Contender, Round } from '../load/rounds.ts';
import { format, spread } from '../load/statistics.ts';
import { measureStart, type Start } from './process-figures.ts';
import type { Report } from './report.ts';
import type { Settings } from './settings.ts';
import { type MeasuredSite, pageRequest, proxyRequest, type Sites } from './sites.ts';
import { measureProcesses, measureStates } from './states.ts';

type Figure = { name: string; requestTo(site: MeasuredSite): Promise<Contender['request']> };

const FIGURES: readonly Figure[] = [
  { name: 'Anonymous page (br)', requestTo: async (site) => pageRequest(site, '/', 'br') },
  {
    name: 'Signed-in page (br)',
    requestTo: async (site) => pageRequest(site, '/fr', 'br', await site.signUp()),
  },
  { name: 'GraphQL proxy', requestTo: async (site) => proxyRequest(site, await site.signUp()) },
];

/** Adds the rows of the comparison between the build in the working directory and the one in `otherDirectory`. */
export async function compareBuilds(
  otherDirectory: string,
  sites: Sites,
  settings: Settings,
  report: Report,
): Promise<void> {
  const starts: Record<'current' | 'other', Start>[] = [];
  for (let start = 0; start < settings.starts; start++) {
    starts.push({
      current: await measureStart(sites),
      other: await measureStart(sites, otherDirectory),
    });
  }
  const ratios = (of: (start: Start) => number) =>
    format(spread(starts.map(({ current, other }) => of(current) / of(other))), 2, ' ×');
  report.add(
    'First page after the start of the process',
    ratios((start) => start.firstPageMs),
  );
  report.add(
    '… memory at that time',
    ratios((start) => start.mebibytes),
  );
  for (const figure of FIGURES) await compareFigure(figure, otherDirectory, sites, settings, report);
}

async function compareFigure(
  { name, requestTo }: Figure,
  otherDirectory: string,
  sites: Sites,
  settings: Settings,
  report: Report,
): Promise<void> {
  const rounds = await measureProcesses(settings.processes, async () => {
    const [current, other] = [await sites.start(), await sites.start(otherDirectory)];
    const contenders = {
      current: { server: current, request: await requestTo(current) },
      other: { server: other, request: await requestTo(other) },
    };
    const measured = await measureStates(contenders, [current, other], settings);
    for (const site of [current, other]) await site.stop();
    return measured;
  });
  type Builds = Round<'current' | 'other'>;
  const addRatio = (label: string, key: 'cpuMicros' | 'perSecond') =>
    report.addStates(
      label,
      (state) => rounds[state].map(({ current, other }: Builds) => current[key] / other[key]),
      2,
      ' ×',
    );
  addRatio(`${name}: CPU time per request`, 'cpuMicros');
  for (const build of ['current', 'other'] as const) {
    report.addStates(
      `… ${build === 'current' ? 'this build' : 'the other build'}`,
      (state) => rounds[state].map((round) => round[build].cpuMicros),
      1,
      ' µs',
    );
  }
  addRatio('… requests per second', 'perSecond');
}
