/** Two builds interleaved in one run. Every figure is the ratio of this build to the other one. */
import { pages } from '../../../app/pages.ts';
import type { Contender, Round } from '../load/rounds.ts';
import { format, spread } from '../load/statistics.ts';
import { measureStart, type Start } from './process-figures.ts';
import type { Report } from './report.ts';
import type { Settings } from './settings.ts';
import { type MeasuredSite, pageRequest, proxyRequest, type Sites } from './sites.ts';
import { measureProcesses, measureStates } from './states.ts';

type Figure = {
  name: string;
  /** How many messages the data API lists. */
  messages?: number;
  requestTo(site: MeasuredSite): Promise<Contender['request']>;
};

const LENGTHS_OF_LISTS = [0, 20, 50];
/** A site may have removed the page. */
const MESSAGES_PAGE: string = 'test-message';

const FIGURES: readonly Figure[] = [
  { name: 'Anonymous page (br)', requestTo: async (site) => pageRequest(site, '/', 'br') },
  ...pages.flatMap(({ name, slug }) => {
    const path = `/fr/${slug}`.replace(/\/$/, '');
    const requestTo = async (site: MeasuredSite) => pageRequest(site, path, 'br', await site.signUp());
    if (name !== MESSAGES_PAGE) return [{ name: `Signed-in page ${path} (br)`, requestTo }];
    return LENGTHS_OF_LISTS.map((messages) => ({
      name: `Signed-in page ${path} with ${messages} messages (br)`,
      messages,
      requestTo,
    }));
  }),
  { name: 'GraphQL proxy', requestTo: async (site) => proxyRequest(site, await site.signUp()) },
];

/**
 * Adds the rows of the comparison between the build in the working directory and the one in `otherDirectory`: those whose
 * name contains `only`.
 */
export async function compareBuilds(
  otherDirectory: string,
  only: string,
  sites: Sites,
  settings: Settings,
  report: Report,
): Promise<void> {
  const figures = FIGURES.filter(({ name }) => name.includes(only));
  if (only === '') await compareStarts(otherDirectory, sites, settings, report);
  for (const figure of figures) await compareFigure(figure, otherDirectory, sites, settings, report);
}

async function compareStarts(
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
}

async function compareFigure(
  { name, requestTo, ...options }: Figure,
  otherDirectory: string,
  sites: Sites,
  settings: Settings,
  report: Report,
): Promise<void> {
  const rounds = await measureProcesses(settings.processes, async () => {
    const [current, other] = [await sites.start('.', options), await sites.start(otherDirectory, options)];
    const contenders = {
      current: { server: current, request: await requestTo(current) },
      other: { server: other, request: await requestTo(other) },
    };
    const measured = await measureStates(contenders, [current, other], settings);
    for (const site of [current, other]) await site.stop();
    return measured;
  });
  const add = report.figuresOf(rounds);
  const ratioOf =
    (key: 'cpuMicros' | 'perSecond') =>
    ({ current, other }: Round<'current' | 'other'>) =>
      current[key] / other[key];
  add(`${name}: CPU time per request`, ratioOf('cpuMicros'), 2, ' ×');
  add('… this build', ({ current }) => current.cpuMicros, 1, ' µs');
  add('… the other build', ({ other }) => other.cpuMicros, 1, ' µs');
  add('… requests per second', ratioOf('perSecond'), 2, ' ×');
}
