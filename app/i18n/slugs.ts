/** The slugs of pages: paths after the locale, such as `items/:id`. A segment with a colon is a parameter. */
import { parseLocale } from './locales.ts';

/** The names of the parameters of a slug, as literal types. */
export type ParameterOf<Slug extends string> = Slug extends `${infer Segment}/${infer Rest}`
  ? ParameterOf<Segment> | ParameterOf<Rest>
  : Slug extends `:${infer Name}`
    ? Name
    : never;

type WithSlug = { name: string; slug: string };

/** The names of the pages without parameters among these definitions. */
export type PlainNameOf<Definition extends WithSlug> = Definition extends WithSlug
  ? [ParameterOf<Definition['slug']>] extends [never]
    ? Definition['name']
    : never
  : never;

/** The values of a page's parameters, not encoded. */
export type ParamsOf<Definition extends WithSlug> = Readonly<Record<ParameterOf<Definition['slug']>, string>>;

/** What a link needs to lead to one of these pages: the name, and the parameters of a page that has some. */
export type TargetOf<Definition extends WithSlug> =
  | { page: PlainNameOf<Definition>; params?: undefined }
  | TargetWithParams<Definition>;
type TargetWithParams<Definition extends WithSlug> = Definition extends WithSlug
  ? Definition['name'] extends PlainNameOf<Definition>
    ? never
    : { page: Definition['name']; params: ParamsOf<Definition> }
  : never;

/** Returns the names of the parameters of a slug. */
export function parametersOf(slug: string): string[] {
  return slug
    .split('/')
    .filter(isParameter)
    .map((segment) => segment.slice(1));
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':');
}

/** Returns a slug with the values of its parameters, encoded. Parameters without a value stay. */
export function fillSlug(slug: string, params: Readonly<Record<string, string>> = {}): string {
  const fill = (segment: string) => {
    const value = isParameter(segment) ? params[segment.slice(1)] : undefined;
    return value === undefined ? segment : encodeSegment(value);
  };
  return slug.split('/').map(fill).join('/');
}

/** Whether a path without its locale is one of a slug. A parameter is any segment that is not empty. */
export function matchesSlug(slug: string, path: string): boolean {
  const segments = `/${slug}`.split('/');
  const values = path.split('/');
  return (
    segments.length === values.length &&
    segments.every((segment, index) => segment === values[index] || (isParameter(segment) && values[index]))
  );
}

/** Returns a path as links spell it: two paths that lead to the same page with the same parameters become one. */
export function canonicalPath(path: string): string {
  return path.split('/').map(canonicalSegment).join('/');
}

function canonicalSegment(segment: string): string {
  try {
    // React Router decodes an encoded slash twice.
    return encodeSegment(decodeURIComponent(segment).replaceAll('%2F', '/'));
  } catch {
    return segment;
  }
}

/** What the end of an address means: the data of a page for client-side code, and the payload of a page. */
const MEANINGFUL_END = /\.data$|^_payload\.json$/;

function encodeSegment(value: string): string {
  // No address has these as a segment, encoded or not (URL standard, section 4.1). The link leads to a page not found.
  if (value === '.' || value === '..') return value.replaceAll('.', '%252E');
  return encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, '\uFFFD')).replace(MEANINGFUL_END, (end) =>
    end.replaceAll('.', '%2E'),
  );
}

const STATIC_SEGMENT = /^[\w~-][\w.~-]*$/;
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/**
 * Throws an error with one line for each slug that no router or link can handle: a segment or the name of a parameter that
 * is malformed, a parameter or the code of a locale as the first segment, and two slugs with the same addresses, also
 * among the `resources`, which are paths of routes without a page. Of two slugs the one with fewer parameters counts.
 */
export function checkSlugs(pages: readonly WithSlug[], resources: readonly string[] = []): void {
  const others = resources.map((path) => ({ name: path, slug: path }));
  const problems = [
    ...pages.flatMap(slugProblems),
    ...pages.flatMap((page, index) =>
      [...pages.slice(index + 1), ...others].flatMap((other) => conflicts(page, other)),
    ),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function slugProblems({ name, slug }: WithSlug): string[] {
  if (slug === '') return [];
  const where = `Page '${name}', slug '${slug}'`;
  const segments = slug.split('/');
  const [first = ''] = segments;
  const parameters = parametersOf(slug);
  return [
    ...segments
      .filter((segment) => !isParameter(segment) && !STATIC_SEGMENT.test(segment))
      .map(
        (segment) =>
          `${where}: '${segment}' may have letters without accents, digits, '-', '_', '~' and '.' only.`,
      ),
    ...parameters
      .filter((parameter) => !IDENTIFIER.test(parameter))
      .map((parameter) => `${where}: the parameter ':${parameter}' is no identifier.`),
    ...(new Set(parameters).size < parameters.length ? [`${where}: two parameters have the same name.`] : []),
    ...(isParameter(first) ? [`${where}: the first segment cannot be a parameter.`] : []),
    ...(parseLocale(first) ? [`${where}: the first segment cannot be the code of a locale.`] : []),
  ];
}

function conflicts(page: WithSlug, other: WithSlug): string[] {
  const names = `The pages '${page.name}' and '${other.name}'`;
  const [segments, others] = [page.slug.split('/'), other.slug.split('/')];
  const haveCommonPath =
    segments.length === others.length &&
    segments.every(
      (segment, index) =>
        segment === others[index] || isParameter(segment) || isParameter(others[index] ?? ''),
    );
  const isAmbiguous = haveCommonPath && parametersOf(page.slug).length === parametersOf(other.slug).length;
  return isAmbiguous ? [`${names} have the same addresses: '${page.slug}' and '${other.slug}'.`] : [];
}
