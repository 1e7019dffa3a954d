import type { LinkProps } from '@tanstack/react-router';
import type { IconName } from '../parts/icon/icon.tsx';

export interface NavigationEntry {
  to: NonNullable<LinkProps['to']>;
  label: string;
  icon: IconName;
  /** The second key after G. */
  key?: string;
}

export interface NavigationGroup {
  /** The first one needs no heading. */
  heading: string | null;
  entries: readonly NavigationEntry[];
}

/** What there is, in the order of the sidebar; a view that does not exist yet has no place here. */
export const navigation: readonly NavigationGroup[] = [
  {
    heading: null,
    entries: [
      { to: '/campaigns', label: 'Campaigns', icon: 'campaign', key: 'C' },
      { to: '/calendar', label: 'Calendar', icon: 'calendar', key: 'L' },
      { to: '/audiences', label: 'Audiences', icon: 'users', key: 'A' },
      { to: '/suppressions', label: 'Suppressions', icon: 'muted' },
      { to: '/templates', label: 'Templates', icon: 'draft' },
      { to: '/approvals', label: 'Approvals', icon: 'review', key: 'V' },
    ],
  },
  {
    heading: 'Callbacks',
    entries: [
      { to: '/jobs', label: 'Jobs', icon: 'jobs', key: 'J' },
      { to: '/schedules', label: 'Schedules', icon: 'sched', key: 'S' },
      { to: '/dead-letters', label: 'Dead letters', icon: 'dead', key: 'D' },
      { to: '/clients', label: 'Clients', icon: 'key' },
    ],
  },
  {
    heading: 'Engine',
    entries: [
      { to: '/shards', label: 'Shards', icon: 'shards', key: 'H' },
      { to: '/scheduler', label: 'Scheduler', icon: 'nodes', key: 'N' },
      { to: '/action-types', label: 'Action types', icon: 'types', key: 'T' },
      { to: '/quiet-hours', label: 'Quiet hours', icon: 'scheduled' },
    ],
  },
  {
    heading: 'System',
    entries: [
      { to: '/system', label: 'Settings', icon: 'limits' },
      { to: '/notices', label: 'Notices', icon: 'fwd' },
      { to: '/keys', label: 'Keys and people', icon: 'lock' },
      { to: '/audit', label: 'Audit log', icon: 'audit' },
    ],
  },
];
