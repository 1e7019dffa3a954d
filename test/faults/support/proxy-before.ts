import { startTcpProxy, type Inspector, type TcpProxy } from './tcp-proxy.ts';

/** A network before a database. */
export interface ProxyBefore extends TcpProxy {
  /** Address of the database through the proxy. */
  readonly databaseUrl: string;
}

export async function startProxyBefore(databaseUrl: string, inspector: Inspector): Promise<ProxyBefore> {
  const url = new URL(databaseUrl);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  proxy.inspect(inspector);
  url.host = `127.0.0.1:${proxy.port}`;
  return { ...proxy, databaseUrl: url.href };
}
