import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from '@remix-run/node';
import {
  type ClientActionFunctionArgs,
  type ClientLoaderFunctionArgs,
  type ShouldRevalidateFunctionArgs,
  useActionData,
  useLoaderData,
  useLocation,
  useNavigate,
} from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { hydrateImmediately } from '../../client/hydration/hydration-triggers.ts';
import { loadPage } from '../../client/navigation/load-page.ts';
import { Card } from '../../components/ui/card.tsx';
import { PageHeader } from '../../components/ui/page-header.tsx';
import { readForm } from '../../server/http/request-body.ts';
import { pageData } from '../../server/rendering/page-data.ts';
import { pageMeta } from '../page-meta.ts';
import { CallReport } from './call-report/call-report.tsx';
import { deleteMessage, listMessages, postMessage } from './message-calls.server.ts';
import { MessageComposer } from './message-composer.tsx';
import { statusOfError, statusOfOutcome } from './message-errors.server.ts';
import { MessageList } from './message-list.tsx';
import type { MessageOutcome } from './message-outcome.ts';
import { outcomeCookie } from './outcome-cookie.server.ts';
import { SignInInvitation } from './sign-in-invitation.tsx';
import { useDeleting } from './use-deleting.ts';
import { usePosting } from './use-posting.ts';

export async function loader(args: LoaderFunctionArgs) {
  const { request, context } = args;
  const page = await pageData('test-message', args);
  const feed = await listMessages(new URL(request.url).searchParams.get('after'), args);
  const outcome =
    feed.state === 'signed-out'
      ? null
      : outcomeCookie.consume(request, context.cookies, context.env.session.secure);
  const status = feed.state === 'failed' ? statusOfError(feed.error) : 200;
  return data({ ...page, feed, outcome, isStale: false }, { status });
}

/** Posts a message, or with the intent `delete` deletes one. Forms without scripts are sent back to the page. */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readForm(request);
  const isDeletion = form.get('intent') === 'delete';
  const outcome = await (isDeletion ? deleteMessage(form, args) : postMessage(form, args));
  if (outcome.type === 'failed' || !wantsDocument(request)) {
    return data<MessageOutcome>(outcome, { status: statusOfOutcome(outcome) });
  }
  outcomeCookie.set(context.cookies, outcome, context.env.session.secure);
  const { pathname, search } = new URL(request.url);
  throw redirect(isDeletion ? `${pathname}${search}#messages` : `${pathname}#outcome`, 303);
}

/** Browsers ask for HTML when they navigate, and scripts do not unless they mean it. */
function wantsDocument({ headers }: Request): boolean {
  return headers.get('accept')?.includes('text/html') ?? false;
}

type PageState = Awaited<ReturnType<typeof loader>>['data'];

/** What was shown last, for when the next load fails on its way: a page that is there is not taken away. */
let lastShown: PageState | undefined;

export async function clientLoader(args: ClientLoaderFunctionArgs) {
  const { request, serverLoader } = args;
  try {
    // Serialization keeps everything in it as it is.
    const [page, loaded] = await Promise.all([loadPage('test-message', args), serverLoader()]);
    return { ...(loaded as PageState), ...page };
  } catch (error) {
    if (!(error instanceof TypeError) || request.signal.aborted || !lastShown) throw error;
    return { ...lastShown, outcome: null, isStale: true };
  }
}

/** A form that does not get through to the server gets its text back, instead of an error page in place of it. */
export async function clientAction({ request, serverAction }: ClientActionFunctionArgs) {
  const form = await request.clone().formData();
  try {
    return await serverAction<typeof action>();
  } catch (error) {
    if (error instanceof Response || request.signal.aborted) throw error;
    const code = error instanceof TypeError ? 'offline' : 'unknown';
    const outcome: MessageOutcome =
      form.get('intent') === 'delete'
        ? { type: 'failed', intent: 'delete', error: code }
        : { type: 'failed', intent: 'post', error: code, content: String(form.get('content') ?? '') };
    // A failure's status keeps Remix from loading the page anew, which would fail likewise.
    return Response.json(outcome, { status: 503 });
  }
}

/**
 * A form that came to nothing has changed nothing, unless what it was about turned out to be gone. Where a route says
 * nothing about it, Remix loads it again together with the others.
 */
export function shouldRevalidate({ actionStatus }: ShouldRevalidateFunctionArgs) {
  return actionStatus === undefined || actionStatus < 400 || actionStatus === 404;
}

export const meta = pageMeta;

export default function TestMessagePage() {
  const { t } = useTranslation('test-message');
  const shown = useLoaderData<typeof loader>();
  const { feed, outcome, isStale } = shown;
  // The client's loader does not run for what the document brought: Remix would forget how the form went that led here.
  useEffect(() => {
    lastShown = shown;
  }, [shown]);
  const answered = useActionData<MessageOutcome>() ?? outcome;
  const heading = useRef<HTMLHeadingElement>(null);
  const posting = usePosting(answered);
  const deleting = useDeleting(answered, heading);
  const isOlder = useIsOlder(posting.success !== null);

  const isWriting = posting.draft.text !== '' || posting.failure !== null;
  const isSignedOut = feed.state === 'signed-out';
  return (
    <>
      <PageHeader title={t('title')}>{t(isSignedOut ? 'lead.signedOut' : 'lead.signedIn')}</PageHeader>
      <div
        // What is posted when, and whether there is a network, no document can tell.
        {...(isSignedOut ? {} : hydrateImmediately)}
        className="grid items-start gap-6 pb-16 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr] lg:gap-10"
      >
        {isSignedOut && !isWriting ? null : (
          <Card as="section">
            <MessageComposer posting={posting} />
          </Card>
        )}
        {isSignedOut ? null : <CallReport posted={posting.success?.timing} feed={feed} />}
        <div className={isSignedOut ? 'lg:col-span-full' : undefined}>
          {isSignedOut ? (
            <SignInInvitation />
          ) : (
            <MessageList
              feed={feed}
              isStale={isStale}
              sending={isOlder ? null : posting.sending}
              deleting={deleting}
              heading={heading}
            />
          )}
        </div>
      </div>
    </>
  );
}

/** Whether a page of older messages is shown. Once a message is posted from there, the page that it is on comes up. */
function useIsOlder(isPosted: boolean): boolean {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const isOlder = new URLSearchParams(search).has('after');
  useEffect(() => {
    if (isPosted && isOlder) navigate(pathname);
  }, [isPosted, isOlder, navigate, pathname]);
  return isOlder;
}
