import { defaultEndpointName } from '../../shared/domain/job/job-ids.ts';

/** Returns the path parameters of an endpoint that a command names: `orders/billing`, `orders` for `orders/default`. */
export function endpointPath(written: string): { id: string; endpoint: string } {
  const [id = '', ...name] = written.split('/');
  return { id, endpoint: name.length === 0 ? defaultEndpointName : name.join('/') };
}
