import { useQuery } from '@tanstack/react-query';
import {
  getClientForecastOptions,
  getClientLedgerOptions,
  getClientLoadOptions,
  getSchedulerOptions,
} from '#client/@tanstack/react-query.gen.ts';
import type { Client } from '#client/types.gen.ts';

const askEveryMs = 4000;
/**
 * Polling interval in milliseconds of the forecast. It is long, because the API counts stored jobs for the forecast.
 */
const forecastEveryMs = 30_000;
const forecastHours = 12;

export function useLedger(nameOrId: string) {
  return useQuery({ ...getClientLedgerOptions({ path: { id: nameOrId } }), refetchInterval: askEveryMs });
}

export function useClientFigures({ id, name }: Pick<Client, 'id' | 'name'>) {
  const ledger = useLedger(name);
  const forecast = useQuery({
    ...getClientForecastOptions({ path: { id }, query: { hours: forecastHours } }),
    refetchInterval: forecastEveryMs,
  });
  const load = useQuery({ ...getClientLoadOptions({ path: { id: name } }), refetchInterval: askEveryMs });
  // The API counts all due jobs for this answer, so it is polled rarely while no job of the client is sidelined.
  const hostsEveryMs = (ledger.data?.sidelined ?? 0) > 0 ? 10_000 : 60_000;
  const scheduler = useQuery({ ...getSchedulerOptions(), refetchInterval: hostsEveryMs });
  const hosts = (scheduler.data?.hosts ?? []).filter(({ clientId }) => clientId === id);
  return { ledger, load, forecast, hosts };
}
