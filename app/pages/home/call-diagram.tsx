import { useTranslation } from 'react-i18next';
import { useNumberFormat } from '~/i18n/use-locale.ts';
import type { IconName } from '~/icons/built-in-icons.ts';
import { Icon } from '../../components/ui/icon.tsx';

const steps = ['login', 'browser', 'identity', 'data'] as const;

type StepName = (typeof steps)[number];

/**
 * A diagram of signing in and of a call of the data API, and below it a description of each step. For assistive
 * technology the diagram is an image with a short name, because the list contains the same information.
 */
export function CallDiagram() {
  const { t } = useTranslation('home');
  return (
    <>
      <div role="img" aria-label={t('call.drawing')}>
        <Drawing />
      </div>
      <Steps />
    </>
  );
}

function Drawing() {
  return (
    <div
      aria-hidden="true"
      className="grid grid-cols-1 gap-3 rounded-card border border-line bg-surface p-3 sm:p-6 lg:grid-cols-[1fr_0.9fr_1.1fr_0.9fr_1fr] lg:gap-4"
    >
      <Node
        name="browser"
        icon="lucide:app-window"
        tone="border-primary bg-canvas text-primary"
        place="lg:row-span-4 lg:justify-center"
      />
      <div className={branchClass}>
        <Leg name="login" place="lg:col-start-2 lg:row-start-1" />
        <CloudNode
          name="login"
          icon="lucide:lock"
          place="lg:col-span-3 lg:col-start-3 lg:row-start-1 lg:flex-row lg:items-center lg:justify-start"
        />
        <Exchange />
        <Leg name="browser" place="lg:col-start-2 lg:row-start-3" />
        <Node
          name="server"
          icon="lucide:server"
          tone="border-secondary bg-secondary-soft text-secondary"
          place="lg:col-start-3 lg:row-span-2 lg:row-start-3 lg:justify-center"
        />
        <ServerCalls />
      </div>
    </div>
  );
}

/** The services that the server calls with its own credentials. */
function ServerCalls() {
  return (
    <div className={branchClass}>
      <Leg name="identity" place="lg:col-start-4 lg:row-start-3" />
      <CloudNode
        name="identity"
        icon="lucide:key-round"
        place="lg:col-start-5 lg:row-start-3 lg:justify-center"
      />
      <Leg name="data" place="lg:col-start-4 lg:row-start-4" />
      <CloudNode name="data" icon="lucide:database" place="lg:col-start-5 lg:row-start-4 lg:justify-center" />
    </div>
  );
}

/** On narrow screens, a line from a node to the nodes that it calls. */
const branchClass =
  'grid grid-cols-1 gap-3 max-lg:-mt-3 max-lg:ms-3 max-lg:border-s-2 max-lg:border-line-strong max-lg:ps-3 max-lg:pt-3 sm:max-lg:ms-6 sm:max-lg:ps-5 lg:contents';

type NodeName = StepName | 'server';
type NodeProps = { name: NodeName; icon: IconName; place: string };

/** A service of AWS. */
function CloudNode(props: NodeProps) {
  return <Node {...props} tone="border-line-strong bg-canvas text-ink-muted" />;
}

/** `tone` has the colors of border, background and icon. */
function Node({ name, icon, tone, place }: NodeProps & { tone: string }) {
  const { t } = useTranslation('home');
  return (
    <div
      data-node={name}
      className={`flex items-center gap-3 rounded-xl border p-3.5 lg:flex-col lg:items-start ${tone} ${place}`}
    >
      <Icon name={icon} className="size-6" />
      <div className="min-w-0">
        <p className="font-display leading-snug font-semibold text-ink">{t(`call.nodes.${name}.name`)}</p>
        <p className="text-sm leading-snug text-ink-muted">{t(`call.nodes.${name}.note`)}</p>
      </div>
    </div>
  );
}

/**
 * A request and its response, with the number of the step: down and up on narrow screens, along the line on wide ones.
 */
function Leg({ name, place }: { name: StepName; place: string }) {
  const { t } = useTranslation('home');
  return (
    <div className={`flex items-center gap-2 text-sm leading-snug ${place}`}>
      <StepNumber name={name} />
      <div className="grid min-w-0 grow grid-cols-1 gap-x-3 gap-y-1 sm:grid-cols-2 lg:grid-cols-1">
        <p className="flex items-center gap-1 lg:flex-col-reverse lg:items-stretch">
          <Arrow direction="out" />
          <span className="min-w-0 hyphens-auto">{t(`call.legs.${name}.out`)}</span>
        </p>
        <p className="flex items-center gap-1 lg:flex-col lg:items-stretch">
          <Arrow direction="back" />
          <span className="min-w-0 hyphens-auto">{t(`call.legs.${name}.back`)}</span>
        </p>
      </div>
    </div>
  );
}

/** The part of step 2 between the server and the sign-in page above it. */
function Exchange() {
  const { t } = useTranslation('home');
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 text-sm leading-snug max-lg:ps-3.5 lg:col-start-3 lg:row-start-2 lg:justify-center">
      <p className="flex items-center gap-1">
        <Icon name="lucide:arrow-up" className="size-4 text-secondary" />
        <span>{t('call.exchange.out')}</span>
      </p>
      <p className="flex items-center gap-1">
        <Icon name="lucide:arrow-down" className="size-4 text-secondary" />
        <span>{t('call.exchange.back')}</span>
      </p>
    </div>
  );
}

function Arrow({ direction }: { direction: 'out' | 'back' }) {
  const isOut = direction === 'out';
  return (
    <span className={`flex items-center text-secondary ${isOut ? '' : 'lg:flex-row-reverse'}`}>
      <span className="grow border-t border-current max-lg:hidden" />
      <Icon name={isOut ? 'lucide:arrow-down' : 'lucide:arrow-up'} className="block size-4 lg:hidden" />
      <span className={isOut ? 'max-lg:hidden lg:-ms-2' : 'max-lg:hidden lg:-me-2 lg:rotate-180'}>
        <Icon name="lucide:chevron-right" className="block size-4" />
      </span>
    </span>
  );
}

function StepNumber({ name }: { name: StepName }) {
  const number = steps.indexOf(name) + 1;
  const format = useNumberFormat();
  return (
    <span
      data-step={number}
      className="grid size-6 shrink-0 place-items-center rounded-full border border-transparent bg-secondary text-xs font-semibold text-on-secondary tabular-nums"
    >
      {format(number)}
    </span>
  );
}

function Steps() {
  const { t } = useTranslation('home');
  return (
    <ol className="mt-8 grid grid-cols-1 gap-x-10 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
      {steps.map((name) => (
        <li key={name} className="grid content-start gap-2">
          <span aria-hidden="true">
            <StepNumber name={name} />
          </span>
          <span>{t(`call.steps.${name}`)}</span>
        </li>
      ))}
    </ol>
  );
}
