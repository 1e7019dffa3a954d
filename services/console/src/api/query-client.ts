import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { problemOf } from './problems.ts';

const retries = 2;

export interface QueryClientDeps {
  /** Called when the session has ended: the user has to log in again. */
  onUnauthorized: () => void;
}

/** Creates the query client. It retries requests without an answer and server errors, but never refused requests. */
export function createQueryClient({ onUnauthorized }: QueryClientDeps): QueryClient {
  const onError = (error: unknown) => {
    if (problemOf(error).status === 401) onUnauthorized();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < retries && isWorthARetry(problemOf(error).status),
        staleTime: 2_000,
      },
      mutations: { retry: false },
    },
  });
}

function isWorthARetry(status: number): boolean {
  return status === 0 || status >= 500;
}
