import type { LinkProps } from '@tanstack/react-router';
import type { IconName } from '../../parts/icon/icon.tsx';
import type { NavigationEntry } from '../navigation/navigation.ts';

export interface FindTarget {
  id: string;
  icon: IconName;
  label: string;
  kind: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

const idPattern = /^(cmp|run|aud|sav|dlt|qst|chg|evt|job|sch|cli)_[0-7][0-9a-z]{25}$/;
const shardPattern = /^[a-z][a-z0-9-]{0,63}\.[A-Z]{2}$/;

/**
 * Returns the targets that need no request: ids, shards, a run with a user after it, and pages by name.
 * @param runId run of the current page, if any: the typed text may be one of its users
 * @param entries pages of the sidebar
 */
export function findTargets(
  text: string,
  runId: string | undefined,
  entries: readonly NavigationEntry[],
): FindTarget[] {
  const [first = '', ...rest] = text.trim().split(/\s+/);
  const userId = rest.join(' ');
  return [...byId(first, userId), ...userOf(text.trim(), runId), ...pages(text.trim(), entries)];
}

/** @param label name of the audience, or its id */
export function audienceTarget(id: string, label: string): FindTarget {
  const kind = id.startsWith('sav_') ? 'Saved audience' : 'Uploaded list';
  return { id, icon: 'users', label, kind, link: { to: '/audiences', search: { id } } };
}

function byId(id: string, userId: string): FindTarget[] {
  if (shardPattern.test(id)) {
    return [{ id, icon: 'shards', label: id, kind: 'Shard', link: { to: '/shards', search: { shard: id } } }];
  }
  const [, prefix] = idPattern.exec(id) ?? [];
  switch (prefix) {
    case 'run':
      return userId === '' ? runTargets(id) : [userTarget(id, userId)];
    case 'cmp':
      return [campaignTarget(id)];
    case 'aud':
    case 'sav':
      return [audienceTarget(id, id)];
    case 'sch':
      return [{ id, icon: 'sched', label: id, kind: 'Schedule', link: { to: '/schedules', search: { id } } }];
    case 'cli':
      return [{ id, icon: 'key', label: id, kind: 'Client', link: { to: '/clients/$client', params: { client: id } } }];
    case 'job':
      return [{ id, icon: 'jobs', label: id, kind: 'Job', link: { to: '/jobs/$jobId', params: { jobId: id } } }];
    case 'dlt':
      return [
        { id, icon: 'dead', label: id, kind: 'Quarantined message', link: { to: '/quarantine', search: { id } } },
      ];
    case 'qst':
      return [{ id, icon: 'dead', label: id, kind: 'Quarantined step', link: { to: '/quarantine', search: { id } } }];
    case 'chg':
      return [{ id, icon: 'audit', label: id, kind: 'Change', link: { to: '/audit', search: { id } } }];
    default:
      return [];
  }
}

function runTargets(runId: string): FindTarget[] {
  const params = { runId };
  return [
    { id: runId, icon: 'running', label: runId, kind: 'Run', link: { to: '/runs/$runId', params } },
    { id: `${runId} report`, icon: 'done', label: runId, kind: 'Report', link: { to: '/runs/$runId/report', params } },
  ];
}

function campaignTarget(campaignId: string): FindTarget {
  const link = { to: '/campaigns/$campaignId', params: { campaignId } } as const;
  return { id: campaignId, icon: 'campaign', label: campaignId, kind: 'Campaign', link };
}

function userTarget(runId: string, userId: string): FindTarget {
  const link = { to: '/runs/$runId/users/$userId', params: { runId, userId } } as const;
  return { id: `${runId} ${userId}`, icon: 'users', label: userId, kind: 'User in this run', link };
}

function userOf(text: string, runId: string | undefined): FindTarget[] {
  const mayBeUser = runId !== undefined && text !== '' && !idPattern.test(text) && !/\s/.test(text);
  return mayBeUser ? [userTarget(runId, text)] : [];
}

function pages(text: string, entries: readonly NavigationEntry[]): FindTarget[] {
  const wanted = text.toLowerCase();
  const all: FindTarget[] = [
    ...entries.map(({ to, label, icon }) => ({ id: to, icon, label, kind: 'Page', link: { to } })),
    { id: '/campaigns/new', icon: 'plus', label: 'New campaign', kind: 'Page', link: { to: '/campaigns/new' } },
  ];
  return all.filter(({ label }) => label.toLowerCase().includes(wanted));
}
