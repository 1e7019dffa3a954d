import type { PublicAddress } from '../../../shared/runtime/configuration/public-address.ts';
import { HttpProblem } from '../frame/http-problem.ts';

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/**
 * Returns the base of a log-in link, which is the public address. If none is configured, the Host header is used, but
 * only for localhost. Anyone can send any Host header, and a link reveals its secret to the host in it.
 * @throws {HttpProblem} 409 if no address is known
 */
export function linkOriginOf(publicAddress: PublicAddress | undefined, host: string | undefined): string {
  if (publicAddress) return publicAddress.origin + publicAddress.basePath;
  if (host !== undefined && loopbackHost.test(host)) return `http://${host}`;
  const detail = 'the address of the console is not known: set API_PUBLIC_URL, or send this request to localhost';
  throw new HttpProblem({ status: 409, code: 'no-public-url', detail });
}
