import { createContext } from 'react';

export interface ShellActions {
  openNavigation: () => void;
}

export const ShellContext = createContext<ShellActions>({ openNavigation: () => undefined });
