import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listNotificationsOptions } from '#client/@tanstack/react-query.gen.ts';
import { deleteNotification, testNotification } from '#client/sdk.gen.ts';
import type { Notification } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { Empty } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { CampaignName } from '../../parts/campaign/campaign-name.tsx';
import { DeliveriesDialog } from './deliveries-dialog.tsx';
import { NotificationDialog } from './notification-dialog.tsx';
import { describeCampaigns, describeDigest, formatEvents, kindWords } from './notification-words.ts';

type OpenDialog = { verb: 'new' } | { verb: 'change' | 'deliveries' | 'delete'; notification: Notification };

export function NotificationsView() {
  const refusal = useRefusal('manager');
  const [dialog, setDialog] = useState<OpenDialog>();
  const notifications = useQuery(listNotificationsOptions());
  const items = notifications.data?.items;
  return (
    <Page
      title="Notifications"
      actions={
        <Button kind="ink" icon="plus" refusal={refusal} onClick={() => setDialog({ verb: 'new' })}>
          New notification
        </Button>
      }
    >
      <section className="panel" aria-label="Notifications">
        <ListView
          what="The notifications"
          query={notifications}
          items={items}
          empty={
            <Empty icon="fwd" title="No notifications yet">
              A notification sends messages to a channel, a mailbox or another service, such as when a run starts, is
              paused or has ended. Add one with the button above, and choose its events and campaigns.
            </Empty>
          }
        >
          <NotificationTable notifications={items} refusal={refusal} onOpen={setDialog} />
        </ListView>
      </section>
      {dialog && <NotificationsDialog dialog={dialog} onClose={() => setDialog(undefined)} />}
    </Page>
  );
}

function NotificationsDialog({ dialog, onClose }: { dialog: OpenDialog; onClose: () => void }) {
  switch (dialog.verb) {
    case 'new':
      return <NotificationDialog notification={null} onClose={onClose} />;
    case 'change':
      return <NotificationDialog notification={dialog.notification} onClose={onClose} />;
    case 'deliveries':
      return <DeliveriesDialog notification={dialog.notification} onClose={onClose} />;
    case 'delete':
      return <DeleteDialog notification={dialog.notification} onClose={onClose} />;
  }
}

function DeleteDialog({ notification, onClose }: { notification: Notification; onClose: () => void }) {
  const { id, waiting } = notification;
  return (
    <ConfirmDialog
      title={`Delete ${nameOf(notification)}?`}
      lead={`Cancelled: ${countOf(waiting, 'pending delivery', 'pending deliveries')}.`}
      verb="Delete it"
      leave="Keep it"
      isGrave
      act={() => deleteNotification({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      It receives no further events.
    </ConfirmDialog>
  );
}

function nameOf({ name, url }: Notification): string {
  return name ?? url;
}

interface NotificationTableProps {
  notifications: readonly Notification[] | undefined;
  refusal: string | undefined;
  onOpen: (dialog: OpenDialog) => void;
}

function NotificationTable({ notifications, refusal, onOpen }: NotificationTableProps) {
  const columns: readonly Column<Notification>[] = [
    { header: 'To, events', cell: (notification) => <Target notification={notification} /> },
    {
      header: 'Campaigns',
      hideBelow: 'phone',
      look: 't2 wrap-anywhere',
      cell: (notification) => (
        <>
          {notification.campaigns?.map((id) => (
            <div key={id}>
              <CampaignName id={id} />
            </div>
          ))}
          {describeCampaigns(notification)}
        </>
      ),
    },
    {
      header: 'Last sent',
      look: 'whitespace-nowrap',
      cell: (notification) => <LastSent notification={notification} />,
    },
    actionsColumn((notification) => (
      <NotificationActions notification={notification} refusal={refusal} onOpen={onOpen} />
    )),
  ];
  return (
    <DataTable
      caption="Notifications, oldest first"
      className="table-auto actions-below"
      columns={columns}
      rows={notifications}
      keyOf={({ id }) => id}
    />
  );
}

function Target({ notification }: { notification: Notification }) {
  const digest = describeDigest(notification);
  return (
    <>
      <div className="font-medium wrap-anywhere">{nameOf(notification)}</div>
      <div className="t2 sm wrap-anywhere">
        {kindWords[notification.kind].label} · {formatEvents(notification.events)}
      </div>
      {digest !== undefined && <div className="t3 sm">completed recurring runs in one message, {digest}</div>}
    </>
  );
}

interface NotificationActionsProps extends Pick<NotificationTableProps, 'refusal' | 'onOpen'> {
  notification: Notification;
}

function NotificationActions({ notification, refusal, onOpen }: NotificationActionsProps) {
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => testNotification({ path: { id: notification.id }, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const name = nameOf(notification);
  const open = (verb: 'change' | 'deliveries' | 'delete') => () => onOpen({ verb, notification });
  return (
    <>
      <Button small label={`Deliveries to ${name}`} onClick={open('deliveries')}>
        Deliveries…
      </Button>
      <Button small refusal={refusal} label={`Test ${name}`} disabled={test.isPending} onClick={() => test.mutate()}>
        {test.isSuccess ? 'Test sent' : 'Test'}
      </Button>
      <Button small refusal={refusal} label={`Change ${name}`} onClick={open('change')}>
        Change…
      </Button>
      <Button small kind="bad" refusal={refusal} label={`Delete ${name}`} onClick={open('delete')}>
        Delete…
      </Button>
      {test.isError && (
        <div className="c-bad sm w-full" role="alert">
          {problemOf(test.error).detail}
        </div>
      )}
    </>
  );
}

function LastSent({ notification: { dead, waiting, enabled, lastSent } }: { notification: Notification }) {
  return (
    <>
      {dead > 0 && <div className="c-bad font-medium">{dead.toLocaleString('en-US')} dead</div>}
      <div className={dead > 0 ? 't2 sm' : undefined}>{lastSent ? <Time instant={lastSent.at} /> : 'never'}</div>
      {!enabled && <div className="t2 sm">switched off</div>}
      {waiting > 0 && <div className="t2 sm">{waiting.toLocaleString('en-US')} pending</div>}
    </>
  );
}
