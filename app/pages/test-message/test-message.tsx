import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node';
import {
  type ClientActionFunctionArgs,
  type ClientLoaderFunctionArgs,
  type ShouldRevalidateFunctionArgs,
  useActionData,
  useLoaderData,
  useLocation,
  useNavigate,
} from '@remix-run/react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { hydrateImmediately } from '../../client/hydration/hydration-triggers.ts';
import { loadPage, loadServerData } from '../../client/navigation/load-page.ts';
import { Card } from '../../components/ui/card.tsx';
import { PageHeader } from '../../components/ui/page-header.tsx';
import { consumeOutcome, handleForm, succeed } from '../../forms/form-action.server.ts';
import { sendForm } from '../../forms/send-form.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';
import { ExampleCall } from './call-timing/example-call.tsx';
import { type ReportedCall, TimingReport } from './call-timing/timing-report.tsx';
import { deleteMessage, listMessages, postMessage } from './message-calls.server.ts';
import { MessageComposer } from './message-composer.tsx';
import { MessageList } from './message-list.tsx';
import {
  failedForm,
  isTextError,
  type MessageFeed,
  type MessageOutcome,
  statusOfError,
} from './message-outcome.ts';
import { parseOutcome } from './outcome-schema.server.ts';
import { SignInInvitation } from './sign-in-invitation.tsx';
import { deletionsSent } from './use-deletion.ts';
import { type Posting, useNewMessageInView, usePosting } from './use-posting.ts';

export async function loader(args: LoaderFunctionArgs) {
  const page = await pageData('test-message', args);
  const feed = await listMessages(new URL(args.request.url).searchParams.get('after'), args);
  const outcome = feed.state === 'signed-out' ? null : consumeOutcome(args, parseOutcome);
  const status = feed.state === 'failed' ? statusOfError(feed.error) : 200;
  return data({ ...page, feed, outcome, isStale: false }, { status });
}

/**
 * Posts a message, or deletes one if the form's `intent` is `delete`. A form without scripts is redirected to the page.
 */
export function action(args: ActionFunctionArgs) {
  return handleForm<MessageOutcome>(args, failedForm, async (form) => {
    const isDeletion = form.get('intent') === 'delete';
    const outcome = await (isDeletion ? deleteMessage(form, args) : postMessage(form, args));
    if (outcome.type === 'failed') return data(outcome, { status: statusOfError(outcome.error) });
    const { pathname, search } = new URL(args.request.url);
    const id = outcome.type === 'posted' ? `message-${encodeURIComponent(outcome.id)}` : 'messages';
    return succeed(outcome, args, isDeletion ? `${pathname}${search}#${id}` : `${pathname}#${id}`);
  });
}

type PageState = Awaited<ReturnType<typeof loader>>['data'];

/** The data of the page as it is shown. It stays in use if loading fails without a network. */
let currentData: PageState | null = null;

export async function clientLoader(args: ClientLoaderFunctionArgs) {
  const { request, serverLoader } = args;
  const [page, loaded] = await Promise.all([
    loadPage('test-message', args),
    loadServerData(request, () => loadFeed(serverLoader), staleData),
  ]);
  return { ...loaded, ...page };
}

async function loadFeed(serverLoader: ClientLoaderFunctionArgs['serverLoader']): Promise<PageState> {
  await deletionsSent();
  // Serialization does not change the types of this data.
  return (await serverLoader()) as PageState;
}

function staleData(): PageState | null {
  return currentData && { ...currentData, outcome: null, isStale: true };
}

export function clientAction(args: ClientActionFunctionArgs) {
  return sendForm(args, failedForm);
}

/**
 * A failed form has changed nothing, so the data is not loaded again. A 404 means that the message no longer exists, so
 * the list is outdated. Without this function Remix would load this route together with others.
 */
export function shouldRevalidate({ actionStatus }: ShouldRevalidateFunctionArgs) {
  return actionStatus === undefined || actionStatus < 400 || actionStatus === 404;
}

export const meta = pageMeta;

export default function TestMessagePage() {
  const { t } = useTranslation('test-message');
  const loaderData = useLoaderData<typeof loader>();
  const { feed, outcome, isStale } = loaderData;
  // `clientLoader` does not run for the data of the document, so the data is recorded here.
  useEffect(() => {
    currentData = loaderData;
  }, [loaderData]);
  const documentOutcome = useActionData<MessageOutcome>() ?? outcome;
  const posting = usePosting(documentOutcome, feed);
  const sending = useIsOlder(posting.success !== null) ? null : posting.sending;
  useNewMessageInView(posting, feed);

  const isWriting = posting.draft.text !== '' || posting.failure !== null;
  const isSignedOut = feed.state === 'signed-out';
  return (
    <>
      <PageHeader title={t('title')} size="compact">
        {t(isSignedOut ? 'lead.signedOut' : 'lead.signedIn')}
      </PageHeader>
      <div
        // Relative times and the offline notice need scripts.
        {...(isSignedOut ? {} : hydrateImmediately)}
        className="grid grid-cols-1 items-start gap-6 pb-16 lg:grid-cols-[minmax(0,1fr)_20rem] lg:gap-10"
      >
        <div className="grid grid-cols-1 gap-6 lg:gap-10">
          {isSignedOut && !isWriting ? null : (
            <Card as="section">
              <MessageComposer posting={posting} />
            </Card>
          )}
          {isSignedOut ? <ExampleCall /> : <MessageList {...{ feed, isStale, sending, documentOutcome }} />}
        </div>
        {isSignedOut ? <SignInInvitation /> : <TimingReport calls={shownCalls(feed, posting)} />}
      </div>
    </>
  );
}

/**
 * The calls in the timing report. After a failed post the list was not loaded again, so its call is not shown. A text
 * that was rejected without a call does not change the report.
 */
function shownCalls(feed: MessageFeed, { success, failure }: Posting): ReportedCall[] {
  const calls: ReportedCall[] = [];
  const posted = success?.timing ?? failure?.timing;
  if (posted) calls.push({ name: 'posted', timing: posted });
  const isOutdated = failure !== null && (failure.timing !== null || !isTextError(failure.error));
  if (feed.state !== 'signed-out' && feed.timing && !isOutdated) {
    calls.push({ name: 'listed', timing: feed.timing });
  }
  return calls;
}

/** Whether the page shows older messages. After a post from there it navigates to the newest messages. */
function useIsOlder(isPosted: boolean): boolean {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const isOlder = new URLSearchParams(search).has('after');
  useEffect(() => {
    if (isPosted && isOlder) navigate(pathname);
  }, [isPosted, isOlder, navigate, pathname]);
  return isOlder;
}
