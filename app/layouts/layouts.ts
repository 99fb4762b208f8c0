/** The component of each layout that a page may name in `app/pages.ts`. */
import type { ComponentType, ReactNode } from 'react';
import type { LayoutName } from '../pages.ts';
import { DefaultLayout } from './default-layout.tsx';

export const layouts: Record<LayoutName, ComponentType<{ children: ReactNode }>> = {
  default: DefaultLayout,
};
