import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/ui/icon.tsx';
import { callLegs } from './call-legs.ts';

/** Describes each leg of a data API call. */
export function CallSteps() {
  const { t } = useTranslation('test-message');
  return (
    <ol className="grid gap-5">
      {callLegs.map(({ name, icon, isRemote }) => (
        <li key={name} className="flex gap-4">
          <span
            className={`grid size-10 shrink-0 place-items-center rounded-control ${
              isRemote ? 'bg-secondary-soft text-secondary-ink' : 'bg-primary-soft text-primary-ink'
            }`}
          >
            <Icon name={icon} className="size-5" />
          </span>
          <span>
            <strong className="block font-semibold">{t(`leg.${name}.name`)}</strong>
            <span className="text-ink-muted">{t(`leg.${name}.description`)}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}
