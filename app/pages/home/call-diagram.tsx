import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useNumberFormat } from '~/i18n/use-locale.ts';
import type { IconName } from '~/icons/built-in-icons.ts';
import { Icon } from '../../components/ui/icon.tsx';

const services = [
  { name: 'login', icon: 'lucide:lock', step: 1, place: 'lg:row-start-1' },
  { name: 'identity', icon: 'lucide:key-round', step: 3, place: 'lg:row-start-2' },
  { name: 'data', icon: 'lucide:database', step: 4, place: 'lg:row-start-3' },
] as const;

const steps = ['login', 'browser', 'identity', 'data'] as const;

/**
 * A diagram of a data API call, from the browser to the data and back, with a description of each step below. For
 * assistive technology the diagram is one image, described by the steps.
 */
export function CallDiagram() {
  const { t } = useTranslation('home');
  const steps = useId();
  return (
    <figure>
      <div
        role="img"
        aria-label={t('call.drawing')}
        aria-describedby={steps}
        className="grid grid-cols-1 gap-x-3 gap-y-3 rounded-card border border-line bg-surface p-4 sm:p-6 lg:grid-cols-[1fr_0.9fr_1fr_0.95fr_1fr] lg:grid-rows-3 lg:gap-y-4"
      >
        <Boundary />
        <Node
          name="browser"
          icon="lucide:app-window"
          place="lg:col-start-1 lg:row-span-3 lg:row-start-1 lg:self-center"
        />
        <Leg name="browser" step={2} place="lg:col-start-2 lg:row-span-3 lg:row-start-1" />
        <div className="grid grid-cols-1 gap-3 rounded-xl bg-secondary-soft p-3 lg:contents">
          <Node name="server" icon="lucide:server" place="lg:col-start-3 lg:row-span-3 lg:row-start-1" />
          <div className="grid grid-cols-1 gap-3 max-lg:-mt-3 max-lg:ms-6 max-lg:pt-3 max-lg:border-s-2 max-lg:border-secondary max-lg:ps-4 lg:contents">
            {services.map(({ name, icon, step, place }) => (
              <ServiceCall key={name} name={name} icon={icon} step={step} place={place} />
            ))}
          </div>
        </div>
      </div>
      <Steps id={steps} />
    </figure>
  );
}

/** The background, on wide screens, of everything that stays on the server side. */
function Boundary() {
  return (
    <div className="rounded-xl border border-secondary-soft bg-secondary-soft max-lg:hidden lg:col-span-3 lg:col-start-3 lg:row-span-3 lg:row-start-1 lg:-m-3" />
  );
}

type CallPart = { name: string; place: string };

function ServiceCall({ name, icon, step, place }: CallPart & { icon: IconName; step: number }) {
  return (
    <>
      <Leg name={name} step={step} place={`lg:col-start-4 ${place}`} />
      <Node name={name} icon={icon} place={`lg:col-start-5 ${place}`} />
    </>
  );
}

function Node({ name, icon, place }: CallPart & { icon: IconName }) {
  const { t } = useTranslation('home');
  const isBrowser = name === 'browser';
  return (
    <div
      className={`flex items-center gap-3 rounded-xl border bg-canvas p-3.5 lg:flex-col lg:items-start lg:justify-center ${isBrowser ? 'border-primary' : 'border-secondary/50'} ${place}`}
    >
      <Icon name={icon} className={`size-6 ${isBrowser ? 'text-primary' : 'text-secondary'}`} />
      <div className="min-w-0">
        <p className="font-display leading-snug font-semibold">{t(`call.nodes.${name}.name`)}</p>
        <p className="text-sm leading-snug text-ink-muted">{t(`call.nodes.${name}.note`)}</p>
      </div>
    </div>
  );
}

/** A request and its response. */
function Leg({ name, step, place }: CallPart & { step: number }) {
  const { t } = useTranslation('home');
  return (
    <div className={`flex items-center gap-2 text-sm leading-snug ${place}`}>
      <StepNumber number={step} />
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

/** Points down and up on small screens, and in and against the reading direction on wide ones. */
function Arrow({ direction }: { direction: 'out' | 'back' }) {
  const isOut = direction === 'out';
  return (
    <span className={`flex items-center text-secondary ${isOut ? '' : 'lg:flex-row-reverse'}`}>
      <span className="grow border-t border-current max-lg:hidden" />
      <Icon name={isOut ? 'lucide:chevron-down' : 'lucide:chevron-up'} className="block size-4 lg:hidden" />
      <span className={isOut ? 'max-lg:hidden lg:-ms-2' : 'max-lg:hidden lg:-me-2 lg:rotate-180'}>
        <Icon name="lucide:chevron-right" className="block size-4" />
      </span>
    </span>
  );
}

function StepNumber({ number }: { number: number }) {
  const format = useNumberFormat();
  return (
    <span className="grid size-6 shrink-0 place-items-center rounded-full border border-transparent bg-secondary text-xs font-semibold text-on-secondary tabular-nums">
      {format.format(number)}
    </span>
  );
}

function Steps({ id }: { id: string }) {
  const { t } = useTranslation('home');
  return (
    <figcaption className="mt-8">
      <ol id={id} className="grid grid-cols-1 gap-x-10 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map((name, index) => (
          <li key={name} className="grid content-start gap-2">
            <span aria-hidden="true">
              <StepNumber number={index + 1} />
            </span>
            {t(`call.steps.${name}`)}
          </li>
        ))}
      </ol>
    </figcaption>
  );
}
