/** The component of each layout that a page may name. */
import type { ComponentType, ReactNode } from 'react';
import { DefaultLayout } from './default.tsx';
import type { LayoutName } from './names.ts';

export const layouts: Record<LayoutName, ComponentType<{ children: ReactNode }>> = {
  default: DefaultLayout,
};
