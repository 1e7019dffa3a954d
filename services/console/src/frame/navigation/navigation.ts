import { useRouter, type LinkProps } from '@tanstack/react-router';
import type { IconName } from '../../parts/icon/icon.tsx';

/** Headings of the sidebar's groups, from the top. The first group needs none. */
const headings = { campaigns: null, callbacks: 'Callbacks', engine: 'Engine', system: 'System' } as const;

/** A view's entry in the sidebar, as its route declares it in `staticData`. */
export interface NavigationPlace {
  group: keyof typeof headings;
  /** Sort key within the group. Steps of ten leave room for a view between two others. */
  place: number;
  label: string;
  icon: IconName;
  /** Second key of the shortcut, after G. */
  key?: string;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    navigation?: NavigationPlace;
  }
}

export interface NavigationEntry {
  to: NonNullable<LinkProps['to']>;
  label: string;
  icon: IconName;
  key?: string | undefined;
}

export interface NavigationGroup {
  heading: string | null;
  entries: readonly NavigationEntry[];
}

interface NavigableRoute {
  fullPath: NavigationEntry['to'];
  options: { staticData?: { navigation?: NavigationPlace } };
}

/** Returns the groups of the sidebar, with the views whose routes declare an entry. */
export function useNavigation(): readonly NavigationGroup[] {
  return navigationOf(Object.values(useRouter().routesByPath));
}

/** Returns the groups in the order of the sidebar. The order of the routes does not matter. */
export function navigationOf(routes: readonly NavigableRoute[]): NavigationGroup[] {
  const entries = routes.flatMap(({ fullPath: to, options: { staticData } }) =>
    staticData?.navigation ? [{ ...staticData.navigation, to }] : [],
  );
  const sorted = entries.toSorted((a, b) => a.place - b.place || a.to.localeCompare(b.to));
  return Object.entries(headings).map(([name, heading]) => ({
    heading,
    entries: sorted.filter(({ group }) => group === name).map(({ to, label, icon, key }) => ({ to, label, icon, key })),
  }));
}
