import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { client } from '#client/client.gen.ts';
import { listSettlementsOptions } from '#client/@tanstack/react-query.gen.ts';
import { settleRun } from '#client/sdk.gen.ts';
import { columnQuery, type ColumnChoice } from '../file-preview/column-choice.ts';
import { fileHeaders } from '../file-preview/use-file-preview.ts';
import type { Settlement, SettleRequestInput, SettleRunErrors, SettleRunResponses } from '#client/types.gen.ts';

/** A file of many users, with its columns as a person chose them. */
export interface SettledFile {
  file: File;
  columns: ColumnChoice;
  /** Rejected lines that may be left out; null: as few as the API accepts by itself. */
  acceptRejected: number | null;
}

/** How it ended for one user, who is to be asked, or a file of many users. */
export type SettleRequest = SettleRequestInput | SettledFile;

/** A worker asks page by page: so often it is looked how far it is. */
const lookEveryMs = 2000;

export type RunSettlements = ReturnType<typeof useSettlements>;

/**
 * What was settled of a run so far, and settling more of it. Every figure of it is read anew once one has ended.
 *
 * @param enabled whether anybody is unknown, or was when it was asked
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
      const asked =
        'file' in request ? settleByFile(runId, request) : settleRun({ path, body: request, throwOnError: true });
      return (await asked).data;
    },
    // A file that was cut off has settled what was read of it.
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

/** Its lines are read as they come: the client's own call has a body of one user alone. */
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
