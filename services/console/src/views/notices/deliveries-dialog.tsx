import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { listWebhookDeliveriesOptions } from '#client/@tanstack/react-query.gen.ts';
import { sendNoticesAgain } from '#client/sdk.gen.ts';
import type { Webhook, WebhookDelivery } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { eventInWords } from './notice-words.ts';

const shownAtMost = 20;

/** The last that was sent, and what was given up, which can be sent again. */
export function DeliveriesDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, name, url, dead } = webhook;
  const queries = useQueryClient();
  const refusal = useRefusal('manager');
  const deliveries = useQuery(listWebhookDeliveriesOptions({ path: { id }, query: { limit: shownAtMost } }));
  const again = useMutation({
    mutationFn: () => sendNoticesAgain({ path: { id }, throwOnError: true }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const items = deliveries.data?.items;
  return (
    <Dialog
      title={`Sent to ${name ?? url}`}
      lead={items?.length === 0 ? 'Nothing was sent yet.' : `The last ${shownAtMost} at most, newest first.`}
      onClose={onClose}
      actions={
        <>
          {dead > 0 && (
            <Button refusal={refusal} disabled={again.isPending} onClick={() => again.mutate()}>
              Send {countOf(dead, 'dead notice')} again
            </Button>
          )}
          <Button kind="ink" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {items === undefined && deliveries.error !== null ? (
        <Failed
          title="What was sent could not be read"
          error={deliveries.error}
          onRetry={() => void deliveries.refetch()}
        />
      ) : items?.length === 0 ? null : (
        <DeliveryTable items={items} />
      )}
      {again.isError && (
        <p className="c-bad sm" role="alert">
          {problemOf(again.error).detail}
        </p>
      )}
    </Dialog>
  );
}

function DeliveryTable({ items }: { items: readonly WebhookDelivery[] | undefined }) {
  return (
    <table className="table-auto">
      <caption className="sr-only">What was sent, newest first</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">Became</th>
        </tr>
      </thead>
      <tbody>
        {items?.map(({ id, at, event, state, attempts, status, cause }) => (
          <tr key={`${id} ${at}`}>
            <td className="whitespace-nowrap">
              <Time instant={at} />
            </td>
            <td>{eventInWords(event)}</td>
            <td>
              <span className={state === 'dead' ? 'c-bad font-medium' : undefined}>{state}</span>
              <div className="t2 sm wrap-anywhere">
                {countOf(attempts, 'try', 'tries')}
                {status !== null && `, answered ${status}`}
                {cause !== null && `, ${cause}`}
              </div>
            </td>
          </tr>
        )) ?? <SkeletonRows rows={5} columns={[110, 120, 140]} />}
      </tbody>
    </table>
  );
}
