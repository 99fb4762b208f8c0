/** The words and the head of pages, as the server has them ready for client-side navigation. */
import type { ResourceLanguage } from 'i18next';
import { type Locale, localizePath } from '../../i18n/locales.ts';
import type { PageHead } from '../../i18n/page-head.ts';
import type { Page } from '../../pages.ts';

export type Payload = { messages: ResourceLanguage; head: PageHead };

export type Payloads = {
  /** A page's payload, fetched once. Rejects when it cannot be had or is another build's; the next call tries again. */
  load(page: Page, locale: Locale): Promise<Payload>;
};

export type PayloadsOptions = {
  buildId: () => string;
  fetch: (address: string, init?: RequestInit) => Promise<Response>;
  /** Called when the site answers as another build. */
  onOtherBuild: () => void;
};

export function createPayloads({ buildId, fetch, onOtherBuild }: PayloadsOptions): Payloads {
  const known = new Map<string, Promise<Payload>>();

  const read = async (address: string): Promise<Payload> => {
    // Its address names the build, so what the browser has is right however old it is.
    const response = await fetch(address, { cache: 'force-cache' });
    if (!response.ok) throw new Error(`${address} answered ${response.status}`);
    const payload: unknown = await response.json();
    if (!isPayload(payload)) throw new Error(`${address} is not a payload`);
    if (payload.buildId !== buildId()) {
      onOtherBuild();
      throw new Error(`${address} is of build ${payload.buildId}`);
    }
    return payload;
  };

  return {
    load(page, locale) {
      const path = localizePath(`/${page.slug}`, locale).replace(/\/$/, '');
      const address = `${path}/_payload.json?${buildId()}`;
      const payload = known.get(address) ?? read(address);
      known.set(address, payload);
      payload.catch(() => known.delete(address));
      return payload;
    },
  };
}

function isPayload(value: unknown): value is Payload & { buildId: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'buildId' in value &&
    typeof value.buildId === 'string' &&
    'messages' in value &&
    'head' in value
  );
}
