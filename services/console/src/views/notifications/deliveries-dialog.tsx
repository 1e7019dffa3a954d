import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { listNotificationDeliveriesOptions } from '#client/@tanstack/react-query.gen.ts';
import { replayNotification } from '#client/sdk.gen.ts';
import type { Notification, NotificationDelivery } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { formatEvent } from './notification-words.ts';

const maxDeliveries = 20;

/** Latest deliveries of a notification. Dead ones can be replayed. */
export function DeliveriesDialog({ notification, onClose }: { notification: Notification; onClose: () => void }) {
  const { id, name, url, dead } = notification;
  const queries = useQueryClient();
  const refusal = useRefusal('manager');
  const deliveries = useQuery(listNotificationDeliveriesOptions({ path: { id }, query: { limit: maxDeliveries } }));
  const replay = useMutation({
    mutationFn: () => replayNotification({ path: { id }, throwOnError: true }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const items = deliveries.data?.items;
  return (
    <Dialog
      title={`Deliveries to ${name ?? url}`}
      lead={items?.length === 0 ? 'There are no deliveries yet.' : `Up to ${maxDeliveries} deliveries, newest first.`}
      onClose={onClose}
      actions={
        <>
          {dead > 0 && (
            <Button refusal={refusal} disabled={replay.isPending} onClick={() => replay.mutate()}>
              Replay {countOf(dead, 'dead delivery', 'dead deliveries')}
            </Button>
          )}
          <Button kind="ink" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <ListView what="The deliveries" query={deliveries} items={items} empty={null}>
        <DataTable
          caption="Deliveries, newest first"
          className="table-auto"
          columns={columns}
          rows={items}
          keyOf={({ id, at }) => `${id} ${at}`}
        />
      </ListView>
      {replay.isError && (
        <p className="c-bad sm" role="alert">
          {problemOf(replay.error).detail}
        </p>
      )}
    </Dialog>
  );
}

const columns: readonly Column<NotificationDelivery>[] = [
  { header: 'When', look: 'whitespace-nowrap', cell: ({ at }) => <Time instant={at} /> },
  { header: 'Event', cell: ({ event }) => formatEvent(event) },
  {
    header: 'State',
    cell: ({ state, attempts, status, cause }) => (
      <>
        <span className={state === 'dead' ? 'c-bad font-medium' : undefined}>{state}</span>
        <div className="t2 sm wrap-anywhere">
          {countOf(attempts, 'attempt')}
          {status !== null && `, answered ${status}`}
          {cause !== null && `, ${cause}`}
        </div>
      </>
    ),
  },
];
