/** Page payloads: translations and head of a page, prepared by the server for client-side navigation. */
import type { ResourceLanguage } from 'i18next';
import type { Locale } from '../../i18n/locales.ts';
import { type PageHead, payloadPathOf } from '../../i18n/localized-page.ts';
import type { Page } from '../../pages.ts';

type Payload = { translations: ResourceLanguage; head: PageHead };

export type Payloads = {
  /**
   * Fetches a page's payload once. Rejects if it cannot be loaded or belongs to another build. The next call then tries
   * again.
   */
  load(page: Page, locale: Locale): Promise<Payload>;
};

export type PayloadsOptions = {
  buildId: () => string;
  fetch: (address: string, init?: RequestInit) => Promise<Response>;
  /** Called when the server sends the payload of another build. */
  onOtherBuild: () => void;
};

export function createPayloads({ buildId, fetch, onOtherBuild }: PayloadsOptions): Payloads {
  const payloads = new Map<string, Promise<Payload>>();

  const fetchPayload = async (address: string): Promise<Payload> => {
    // The address contains the build id, so a cached response of any age is valid.
    const response = await fetch(address, { cache: 'force-cache' });
    if (!response.ok) throw new Error(`${address} returned status ${response.status}`);
    const payload: unknown = await response.json();
    if (!isPayload(payload)) throw new Error(`${address} is not a payload`);
    if (payload.buildId !== buildId()) {
      onOtherBuild();
      throw new Error(`${address} belongs to build ${payload.buildId}`);
    }
    return payload;
  };

  return {
    load(page, locale) {
      const address = `${payloadPathOf(page, locale)}?${buildId()}`;
      const payload = payloads.get(address) ?? fetchPayload(address);
      payloads.set(address, payload);
      payload.catch(() => payloads.delete(address));
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
    'translations' in value &&
    'head' in value
  );
}
