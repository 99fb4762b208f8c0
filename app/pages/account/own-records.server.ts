/** What the visitor has stored in the data API, as the account page exports and erases it. */
import type { ActionFunctionArgs } from '@remix-run/node';
import type { OperationCall, ShippedOperation } from '@tenfold/appsync-proxy';
import { LIST_MESSAGES } from '../../graphql/messages.graphql.generated.ts';
import { requireSession } from '../../server/rendering/require-session.ts';
import { ERASE_MY_RECORDS } from './own-records.server.graphql.generated.ts';

type OwnRecord = { readonly id: string; readonly mine: boolean; readonly author: string };
type PageVariables = { limit?: number | null | undefined; nextToken?: string | null | undefined };
type Lists = Readonly<Record<string, { items: readonly OwnRecord[]; nextToken: string | null }>>;

/** The lists with records of the visitor, by their name in the export. `npm run new-type` adds those of its types. */
const lists: Readonly<Record<string, ShippedOperation<Lists, PageVariables>>> = {
  messages: LIST_MESSAGES,
};

const PAGE_SIZE = 50;

/** All records of the visitor by list, newest first. Rejects when the data API does not return every page. */
export async function listOwnRecords(args: ActionFunctionArgs): Promise<Record<string, object[]>> {
  const records: Record<string, object[]> = {};
  for (const [name, operation] of Object.entries(lists)) records[name] = await listOwn(operation, args);
  return records;
}

async function listOwn(operation: ShippedOperation<Lists, PageVariables>, args: ActionFunctionArgs) {
  const records: object[] = [];
  let nextToken: string | null = null;
  do {
    const variables: PageVariables = { limit: PAGE_SIZE, nextToken };
    const pages: Lists = await execute({ ...operation, variables }, args);
    nextToken = null;
    for (const page of Object.values(pages)) {
      for (const { mine, author, ...record } of page.items) if (mine) records.push(record);
      nextToken = page.nextToken;
    }
  } while (nextToken !== null);
  return records;
}

/** Erases all records of the visitor. Rejects when the data API fails; another call erases the rest. */
export async function eraseOwnRecords(args: ActionFunctionArgs): Promise<void> {
  let erased: number;
  do {
    erased = (await execute({ ...ERASE_MY_RECORDS, variables: {} }, args)).eraseMyRecords;
  } while (erased > 0);
}

async function execute<Data, Variables>(
  call: OperationCall<Data, Variables>,
  { context }: ActionFunctionArgs,
): Promise<Data> {
  const { dataApi, signal, requestId } = context;
  const { result } = await dataApi.execute(requireSession(context), call, { signal, requestId });
  if (result.data === null || result.errors.length > 0) throw new Error(`${call.operationName} failed`);
  return result.data;
}
