import type { PageParams } from '../../i18n/localized-page.ts';
import { itemIds } from './items.server.ts';

export default async function itemsInSitemap(): Promise<PageParams<'item'>[]> {
  return itemIds.map((id) => ({ id }));
}
