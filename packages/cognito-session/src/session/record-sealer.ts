/** Session records in the shared store, which must not be able to read or exchange them. */
import { type CookieSealer, createCookieSealer, type SealingSettings } from '../cookies/sealed-cookie.ts';
import { decodeSessionCookie, encodeSessionCookie, type SessionRecord } from './session-record.ts';

export class RecordSealer {
  readonly #sealer: CookieSealer;

  /** A record opens only under the name with which it was sealed. */
  constructor(settings: SealingSettings, name: string) {
    this.#sealer = createCookieSealer(settings, name);
  }

  /** Returns a text that opens until `expiresAt` (milliseconds). */
  seal(record: SessionRecord, expiresAt: number): Promise<string> {
    return this.#sealer.seal(encodeSessionCookie({ kind: 'session', record }), expiresAt);
  }

  /** Returns null unless the text is a record that was sealed with one of this site's secrets. Never rejects. */
  async open(text: string, now: number): Promise<SessionRecord | null> {
    const unsealed = await this.#sealer.open(text, now);
    const content = unsealed.state === 'open' ? decodeSessionCookie(unsealed.body) : null;
    return content?.kind === 'session' ? content.record : null;
  }
}
