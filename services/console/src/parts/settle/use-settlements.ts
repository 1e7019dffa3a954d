import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { client } from '#client/client.gen.ts';
import { listSettlementsOptions } from '#client/@tanstack/react-query.gen.ts';
import { settleRun } from '#client/sdk.gen.ts';
import { columnQuery, type ColumnChoice } from '../file-preview/column-choice.ts';
import { fileHeaders } from '../file-preview/use-file-preview.ts';
import type { Settlement, SettleRequestInput, SettleRunErrors, SettleRunResponses } from '#client/types.gen.ts';

export interface SettledFile {
  file: File;
  columns: ColumnChoice;
  /** Rejected lines that may be skipped; null means the API's default limit. */
  acceptRejected: number | null;
}

/** The outcome of one user, a request to a status endpoint, or a file of many users. */
export type SettleRequest = SettleRequestInput | SettledFile;

/** Polling interval in milliseconds. A worker settles users page by page in the background. */
const lookEveryMs = 2000;

export type RunSettlements = ReturnType<typeof useSettlements>;

/**
 * Loads the settlements of a run, and settles more users. All figures are loaded again once a settlement has ended.
 * @param enabled true if users are unknown, or were when the dialog was opened
 */
export function useSettlements(runId: string, enabled: boolean) {
  const queries = useQueryClient();
  const path = { id: runId };
  const known = useQuery({
    ...listSettlementsOptions({ path }),
    enabled,
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? lookEveryMs : false),
  });
  const settle = useMutation({
    mutationFn: async (request: SettleRequest) => {
      const response =
        'file' in request ? settleByFile(runId, request) : settleRun({ path, body: request, throwOnError: true });
      return (await response).data;
    },
    // Reloads after a failure too: a file that was cut off has settled the lines that were read.
    onSettled: () => queries.invalidateQueries(),
  });
  const running = known.data?.items.filter(isRunning).length ?? 0;
  const before = useRef(0);
  useEffect(() => {
    if (running < before.current) void queries.invalidateQueries();
    before.current = running;
  }, [running, queries]);
  const latest = known.data?.items.find(({ settlementId }) => settlementId === settle.data?.settlementId);
  return { known, settle, made: latest ?? settle.data };
}

function isRunning({ state }: Settlement): boolean {
  return state === 'running';
}

/** Streams the file: the generated client call takes only a body for one user. */
function settleByFile(id: string, { file, columns, acceptRejected }: SettledFile) {
  const { user, header } = columnQuery(columns);
  return client.post<SettleRunResponses, SettleRunErrors, true>({
    url: '/v1/runs/{id}/settle',
    path: { id },
    query: { user, header, ...(acceptRejected !== null && { acceptRejected }) },
    body: file,
    bodySerializer: null,
    headers: fileHeaders(file),
    throwOnError: true,
  });
}
