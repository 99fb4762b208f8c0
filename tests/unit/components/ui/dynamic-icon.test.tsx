import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import { DocumentContext } from '../../../../app/components/document/document-context.ts';
import { DynamicIcon } from '../../../../app/components/ui/dynamic-icon.tsx';
import { createIcons } from '../../../../app/server/icons/icons.ts';
import { createLog } from '../../../../app/server/observability/log.ts';
import { createDocumentIcons } from '../../../../app/server/rendering/document-icons.ts';
import { renderDocument } from '../../../../app/server/rendering/render-document.ts';
import { createManualTimers } from '../../../support/timing/manual-timers.ts';
import { respondWith, type Script, startUpstream } from '../../../support/upstreams/scripted-upstream.ts';

const silent = createLog('silent');

/** Renders a page with these icons on a server with a scripted icon API. Returns the HTML, the log and the clock. */
async function render(names: readonly string[], script: Script) {
  const api = await startUpstream(script);
  const time = createManualTimers();
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line).msg) });
  const icons = createIcons({
    env: { iconApiHosts: [new URL(api.url).origin] },
    clock: Date.now,
    log: silent,
  });
  const documentIcons = createDocumentIcons(icons, log, time.schedule);
  const html = renderDocument(
    <DocumentContext.Provider
      value={{
        nonce: '',
        requestId: '',
        buildId: 'test',
        i18n: i18next,
        theme: 'system',
        visitor: { state: 'anonymous' },
        icons: documentIcons,
        staticParts: { find: () => null },
        remix: null,
      }}
    >
      <p>
        {names.map((name) => (
          <DynamicIcon key={name} name={name} className="size-4" />
        ))}
      </p>
    </DocumentContext.Provider>,
    documentIcons.pending,
  );
  return { html, lines, time, icons, api };
}

/** The icons in a page, without React's markers around a Suspense. */
const drawings = (html: string) => html.match(/<svg.*?<\/svg>/g) ?? [];
const empty = (viewBox = '0 0 24 24') =>
  `<svg aria-hidden="true" focusable="false" viewBox="${viewBox}" class="inline-block shrink-0 size-4"></svg>`;

describe('DynamicIcon', () => {
  it('is in the page when the icon API has it', async () => {
    const icon = { body: '<path d="M1 2"/>', width: 32, height: 16 };
    const { html, api } = await render(
      ['mdi:home', 'mdi:account'],
      respondWith(200, { prefix: 'mdi', icons: { home: icon, account: icon } }),
    );
    const page = await html;
    expect(drawings(page)).toEqual(
      Array(2).fill(empty('0 0 32 16').replace('></svg>', '><path d="M1 2"/></svg>')),
    );
    expect(page).not.toMatch(/<template|<script/);
    expect(api.received.map(({ url }) => url)).toEqual(['/mdi.json?icons=account,home']);
  });

  it('leaves its space empty and logs a warning when it does not load within 1500 ms', async () => {
    const { html, lines, time, api } = await render(['mdi:home', 'lucide:globe'], () => {});
    await expect.poll(() => api.received).toHaveLength(1);
    await time.advance(1499);
    expect(lines).toEqual([]);
    await time.advance(1);
    const [first, second] = drawings(await html);
    expect(first).toBe(empty());
    expect(second).toContain('<circle');
    expect(lines).toEqual(['[Icon] loading icon `mdi:home` timed out after 1500ms']);
  });

  it.each([
    ['the API fails', 'mdi:home', respondWith(500, {})],
    [
      'its SVG could run a script',
      'mdi:evil',
      respondWith(200, { prefix: 'mdi', icons: { evil: { body: '<script/>' } } }),
    ],
  ])('leaves its space empty and logs a warning when %s', async (_what, name, script) => {
    const { html, lines } = await render([name], script);
    expect(drawings(await html)).toEqual([empty()]);
    expect(lines).toEqual([`[Icon] failed to load icon \`${name}\``]);
  });

  it('is available to the next page when it arrives late', async () => {
    let respond = () => {};
    const icon = { body: '<path d="M1 2"/>' };
    const { html, time, icons, api } = await render(['mdi:home'], (response, count, request) => {
      respond = () => respondWith(200, { prefix: 'mdi', icons: { home: icon } })(response, count, request);
    });
    await expect.poll(() => api.received).toHaveLength(1);
    await time.advance(1500);
    await html;
    respond();
    await expect.poll(() => icons.find('mdi:home')).toEqual(icon);
  });

  it('has unique ids, so that a page can contain it twice', async () => {
    const body =
      '<mask id="a"><path id="b" fill="none"><animate id="c" begin="0;d.end"/><animate id="d" begin="c.end"/></path></mask><g mask="url(#a)"><use href="#b"/></g>';
    const { html } = await render(
      ['mdi:one', 'mdi:two'],
      respondWith(200, { prefix: 'mdi', icons: { one: { body }, two: { body } } }),
    );
    const page = await html;
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(8);
    for (const [, , id] of page.matchAll(/(url\(#|href="#)([^")]+)/g)) expect(ids).toContain(id);
    for (const [, id] of page.matchAll(/[";]([\w-]+)\.end/g)) expect(ids).toContain(id);
    expect(page.match(/fill="none"/g)).toHaveLength(2);
  });
});
