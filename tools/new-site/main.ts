/** The command `npm run new-site`: turns a fresh clone of Tenfold into a site of one's own. */
import { execFileSync } from 'node:child_process';
import { cancel, confirm, intro, isCancel, log, multiselect, outro, text } from '@clack/prompts';
import { locales } from '../../app/i18n/locales.ts';
import { pages } from '../../app/pages.ts';
import { makeSite } from './new-site.ts';
import {
  type Clone,
  type GivenOptions,
  type Options,
  parseOptions,
  problemOfColor,
  problemOfName,
} from './options.ts';
import { LIVE } from './pages.ts';

const clone: Clone = {
  languages: locales,
  removablePages: [...pages.map(({ name }) => name).filter((name) => name !== 'index'), LIVE],
};
const defaults: Omit<Options, 'name'> = {
  languages: clone.languages.map(({ code }) => code),
  without: [],
  color: '#6d28d9',
};

const help = `npm run new-site                       asks what the site is to be
npm run new-site -- --name NAME --yes  takes what is not given as it is

  --name NAME        the name of the site
  --languages LIST   the languages that stay: ${clone.languages.map(({ code }) => code)}. English always stays.
  --without LIST     the pages that go: ${clone.removablePages}. With ${LIVE}, messages no longer arrive by themselves.
  --color COLOR      the color of links and buttons, such as '#0f766e'
  --yes              asks nothing
`;

const leftToDo = (name: string) => `Left to do by hand:
  - Write your own home page: app/pages/home/home.tsx, and home.json in public/locales.
  - Read the other texts. Some languages inflect names, and the privacy page describes the default configuration.
  - Replace the logo in app/brand/logo.ts. The build draws the icons from it.
  - npm run build && npm run screenshots -- --share takes the images that social networks show for a link. Until then
    links have none.
  - LICENSE stays: the code that you received is under the MIT License. Yours may have another one.
  - Names of the deployment say tenfold: fly.toml and deploy. So do the metrics, and the keys in the browser and in Redis,
    which visitors do not see.
  - SECURITY.md describes the code that you received. Make it that of ${name}.

Next: npm test, then git add --all && git commit.
To undo everything before the commit: git reset --hard && git clean -d --force`;

try {
  await main();
} catch (error) {
  cancel(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const given = parseOptions(process.argv.slice(2), clone);
  if (given.help) return void process.stdout.write(help);
  if (execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }) !== '')
    throw new Error(
      'There are changes that are not committed. Commit or discard them first, so that git can undo this.',
    );
  intro('A site of your own');
  const options = given.yes ? withDefaults(given) : await ask(given);
  makeSite(options, clone, (text) => log.step(text));
  outro(`This is ${options.name} now.`);
  process.stdout.write(`${leftToDo(options.name)}\n`);
}

function withDefaults(given: GivenOptions): Options {
  if (given.name === undefined) throw new Error('--yes needs --name.');
  return { ...defaults, ...given, name: given.name };
}

/** Asks for what is not given. Throws when the answer is to stop. */
async function ask(given: GivenOptions): Promise<Options> {
  const name =
    given.name ??
    (await answer(
      text({
        message: 'What is the name of the site?',
        validate: (value) => problemOfName((value ?? '').trim()),
      }),
    ));
  const languages =
    given.languages ??
    (await answer(
      multiselect({
        message: 'Which languages stay? English always does.',
        options: clone.languages
          .filter(({ code }) => code !== 'en')
          .map(({ code, name: label }) => ({ value: code, label })),
        initialValues: clone.languages.map(({ code }) => code),
      }),
    ));
  const without =
    given.without ??
    (await answer(
      multiselect({
        message: `Which pages go, and do messages no longer arrive by themselves (${LIVE})?`,
        options: clone.removablePages.map((value) => ({ value })),
        required: false,
      }),
    ));
  const color =
    given.color ??
    (await answer(
      text({
        message: 'Which color have links and buttons?',
        initialValue: defaults.color,
        validate: (value) => problemOfColor(value ?? ''),
      }),
    ));
  if (!(await answer(confirm({ message: `Turn this clone into ${name.trim()}?` }))))
    throw new Error('Nothing was changed.');
  return {
    name: name.trim(),
    languages: clone.languages
      .map(({ code }) => code)
      .filter((code) => code === 'en' || languages.includes(code)),
    without,
    color,
  };
}

/** The answer. Throws when the question was canceled. */
async function answer<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const given = await question;
  if (isCancel(given)) throw new Error('Nothing was changed.');
  // What is canceled is the only symbol.
  return given as Exclude<T, symbol>;
}
