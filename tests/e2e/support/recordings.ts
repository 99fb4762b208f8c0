/** Records what pages do, and delays what they request. */
import type { BrowserContext, Page, Request } from '@playwright/test';

/** Records the path and query of every request that `isIncluded` accepts, from now on. */
export function recordRequests(page: Page, isIncluded: (request: Request) => boolean = () => true): string[] {
  const recorded: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (isIncluded(request)) recorded.push(pathname + search);
  });
  return recorded;
}

/** Whether the browser requests a document, not a resource of one. */
export const isDocumentRequest = (request: Request): boolean => request.isNavigationRequest();

/** Records the Content-Security-Policy violations of every page of the browser as `directive blocked-URI`. */
export async function recordPolicyViolations(context: BrowserContext): Promise<string[]> {
  const violations: string[] = [];
  await context.exposeFunction('policyViolated', (violation: string) => void violations.push(violation));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      Reflect.get(window, 'policyViolated')(`${effectiveDirective} ${blockedURI}`);
    });
  });
  return violations;
}

/** Holds back the requests that match `pattern`. Returns the function that lets them continue. */
export async function holdRequests(page: Page, pattern: string | RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(pattern, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** The files of the client-side code that every page loads. */
export const CLIENT = /\/assets\/packages-.*\.js$/;

/** Delays the hydration until the returned function is called. */
export const holdClient = (page: Page): Promise<() => void> => holdRequests(page, CLIENT);

/** Records every document request and form submission from now on, such as `GET /path`. */
export function recordNavigations(page: Page): string[] {
  const recorded: string[] = [];
  page.on('request', (request: Request) => {
    const isForm = request.method() === 'POST';
    if (!isForm && !request.isNavigationRequest()) return;
    recorded.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return recorded;
}

/** Records the behavior of every scroll call of the page's code. */
export async function recordScrolling(page: Page): Promise<() => Promise<(string | undefined)[]>> {
  await page.addInitScript(() => {
    const calls: (string | undefined)[] = [];
    Object.assign(window, { scrollCalls: calls });
    const { scrollTo } = window;
    window.scrollTo = (options?: ScrollToOptions | number) => {
      calls.push(typeof options === 'object' ? options.behavior : 'unspecified');
      if (typeof options === 'object') Reflect.apply(scrollTo, window, [options]);
    };
    const { scrollIntoView } = Element.prototype;
    Element.prototype.scrollIntoView = function (options) {
      calls.push(typeof options === 'object' ? options.behavior : 'unspecified');
      scrollIntoView.call(this, options);
    };
  });
  return () => page.evaluate(() => (window as unknown as { scrollCalls: string[] }).scrollCalls);
}

/** Adds up the layout shifts of every page that is opened from now on. Returns the sum of the current page. */
export async function sumLayoutShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const total = { shift: 0 };
    const add = (entries: PerformanceEntryList) => {
      for (const entry of entries) total.shift += Reflect.get(entry, 'value');
    };
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
    Object.assign(window, {
      sumOfShifts() {
        add(observer.takeRecords());
        return total.shift;
      },
    });
  });
  return () => page.evaluate(() => Reflect.get(window, 'sumOfShifts')());
}
