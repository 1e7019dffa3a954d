import type { ClientEndpoint } from '#client/types.gen.ts';
import type { StateLook } from '../standing/state-looks.ts';

/**
 * Returns the badge of an endpoint, or of a client by its endpoint `default`.
 * @param hosts number of sidelined hosts
 */
export function clientLook({ enabled }: Pick<ClientEndpoint, 'enabled'>, hosts: number): StateLook {
  if (!enabled) return { icon: 'paused', word: 'Paused', tone: 'warn' };
  if (hosts > 0) return { icon: 'sideline', word: hosts === 1 ? 'Host sidelined' : 'Hosts sidelined', tone: 'warn' };
  return { icon: 'done', word: 'Active', tone: 'ok' };
}
