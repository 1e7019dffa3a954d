import { defaultEndpointName } from '../../shared/domain/job/job-ids.ts';

/**
 * Returns the path parameters of an endpoint named in a command. `orders/billing` is the endpoint `billing` of the
 * client `orders`; `orders` alone means `orders/default`.
 */
export function endpointPath(written: string): { id: string; endpoint: string } {
  const [id = '', ...name] = written.split('/');
  return { id, endpoint: name.length === 0 ? defaultEndpointName : name.join('/') };
}
