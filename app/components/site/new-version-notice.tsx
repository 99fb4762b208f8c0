import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { deployWatch, documentLoads } from '~/client/browser-services.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** Offers to reload the page when a new build was deployed. */
export function NewVersionNotice() {
  const { t } = useTranslation();
  const isOutdated = useSyncExternalStore(deployWatch.subscribe, deployWatch.isOutdated, () => false);
  const [isDismissed, setDismissed] = useState(false);
  if (!isOutdated || isDismissed) return null;
  return (
    <div className="page-width pt-6">
      <Notice
        title={t('newVersion.title')}
        actions={
          <>
            <Button type="button" size="small" onClick={() => documentLoads.reload()}>
              {t('newVersion.reload')}
            </Button>
            <Button type="button" variant="secondary" size="small" onClick={() => setDismissed(true)}>
              {t('newVersion.dismiss')}
            </Button>
          </>
        }
      >
        {t('newVersion.description')}
      </Notice>
    </div>
  );
}
