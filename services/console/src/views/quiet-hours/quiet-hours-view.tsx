import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { getQuietHoursOptions } from '#client/@tanstack/react-query.gen.ts';
import { setQuietHours } from '#client/sdk.gen.ts';
import type { QuietHours, QuietRule } from '#client/types.gen.ts';
import { Page } from '../../frame/page.tsx';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { FilterMenu } from '../../parts/lists/filter-menu.tsx';
import { Menu, MenuItem } from '../../parts/overlays/menu.tsx';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { Refused } from '../../parts/standing/refused.tsx';
import { Empty, NoMatch } from '../../parts/standing/states.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { RuleDialog } from './rule-dialog.tsx';
import { everyType, moveItem, describeRule, formatType } from './rule-form.ts';
import { quotedTitleOf, titleOf } from '../../parts/words/action-titles.ts';

const route = getRouteApi('/quiet-hours');

interface OpenDialog {
  verb: 'edit' | 'remove';
  /** Index of the rule. For a new rule, the number of existing rules. */
  at: number;
}

/** View of the quiet hours: when action types make no calls, and what happens to their users. */
export function QuietHoursView() {
  const { action } = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = useRefusal('operator');
  const [dialog, setDialog] = useState<OpenDialog>();
  const quiet = useQuery(getQuietHoursOptions());
  const rules = quiet.data?.rules;
  const placedRules = rules?.map((rule, at) => ({ rule, at }));
  const visibleRules = placedRules?.filter(({ rule }) => action === undefined || appliesTo(rule, action));
  const close = () => setDialog(undefined);
  const namedTypes = [...new Set(rules?.map(({ actionType }) => actionType))].filter((name) => name !== everyType);
  return (
    <Page
      title="Quiet hours"
      actions={
        <Button
          kind="ink"
          icon="plus"
          refusal={refusal}
          disabled={rules === undefined}
          onClick={() => setDialog({ verb: 'edit', at: rules?.length ?? 0 })}
        >
          <span className="wide">New quiet hours</span>
          <span className="narrow">New</span>
        </Button>
      }
    >
      <div className="row flex-wrap">
        <p className="t2 max-w-180">
          No call starts in these hours, in the local time of each country. If several rules match a call, the first
          active rule applies.
        </p>
        <span className="ml-auto row">
          <FilterMenu
            name="Action type"
            options={namedTypes.toSorted()}
            value={action}
            labelOf={titleOf}
            onChoose={(value) => void navigate({ search: { action: value } })}
          />
        </span>
      </div>
      <section className="panel" aria-label="Quiet hours">
        <ListView
          what="The quiet hours"
          query={quiet}
          items={rules}
          empty={
            <Empty icon="scheduled" title="No quiet hours yet">
              Users can be called at any hour. A rule sets hours without calls, such as 22:00 to 08:00 local time. Users
              wait during these hours and are called afterwards.
            </Empty>
          }
        >
          {visibleRules?.length === 0 ? (
            <NoMatch title="No rule matches" onClear={() => void navigate({ search: {} })}>
              {quotedTitleOf(action ?? '')} may call all users at any time.
            </NoMatch>
          ) : (
            <RuleTable quietHours={quiet.data} visibleRules={visibleRules} refusal={refusal} onOpen={setDialog} />
          )}
        </ListView>
        {quiet.data && quiet.data.rules.length > 0 && (
          <footer>
            {countOf(quiet.data.rules.length, 'rule')}, in the order in which they are checked
            {quiet.data.madeAt !== null && (
              <>
                {' '}
                · changed <Time instant={quiet.data.madeAt} />
              </>
            )}
          </footer>
        )}
      </section>
      {dialog?.verb === 'edit' && quiet.data && <RuleDialog quietHours={quiet.data} at={dialog.at} onClose={close} />}
      {dialog?.verb === 'remove' && quiet.data && (
        <RemoveDialog quietHours={quiet.data} at={dialog.at} onClose={close} />
      )}
    </Page>
  );
}

function appliesTo({ actionType }: QuietRule, action: string): boolean {
  return actionType === action || actionType === everyType;
}

function RemoveDialog({ quietHours, at, onClose }: { quietHours: QuietHours; at: number; onClose: () => void }) {
  const [{ rules, revision }] = useState(quietHours);
  const rule = rules[at];
  return (
    <ConfirmDialog
      title="Remove these quiet hours?"
      lead={rule ? describeRule(rule) : ''}
      verb="Remove them"
      leave="Keep them"
      isGrave
      act={() =>
        setQuietHours({
          headers: { 'if-match': `"${revision}"` },
          body: { rules: rules.toSpliced(at, 1) },
          throwOnError: true,
        })
      }
      onClose={onClose}
    >
      Users who wait for these hours to end are called within seconds, at any local time. Dropped users stay suppressed.
    </ConfirmDialog>
  );
}

interface PlacedRule {
  rule: QuietRule;
  at: number;
}

interface RuleTableProps {
  quietHours: QuietHours | undefined;
  visibleRules: readonly PlacedRule[] | undefined;
  refusal: string | undefined;
  onOpen: (dialog: OpenDialog) => void;
}

function RuleTable({ quietHours, visibleRules, refusal, onOpen }: RuleTableProps) {
  const queries = useQueryClient();
  const move = useMutation({
    mutationFn: ({ from, to }: { from: number; to: number }) =>
      setQuietHours({
        headers: { 'if-match': `"${quietHours?.revision ?? 0}"` },
        body: { rules: moveItem(quietHours?.rules ?? [], from, to) },
        throwOnError: true,
      }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const columns: readonly Column<PlacedRule>[] = [
    { header: 'Place', isHeaderHidden: true, look: 't3 w-8', cell: ({ at }) => at + 1 },
    {
      header: 'Action type',
      cell: ({ rule }) => <div className="font-medium wrap-anywhere">{formatType(rule)}</div>,
      below: ({ rule }) => (
        <div className="narrow">
          {rule.countries?.join(', ') ?? 'all countries'} · {formatEffect(rule)}
        </div>
      ),
    },
    {
      header: 'Countries',
      hideBelow: 'phone',
      look: 'wrap-anywhere',
      cell: ({ rule }) => rule.countries?.join(', ') ?? <span className="t2">all</span>,
    },
    {
      header: 'Hours',
      look: 'whitespace-nowrap',
      cell: ({ rule: { from, until } }) => (
        <>
          {from} to {until}
          {until <= from && <span className="t3 sm wide"> of the next day</span>}
        </>
      ),
      below: ({ rule }) => rule.zone ?? 'local time of the country',
    },
    {
      header: 'Users',
      hideBelow: 'phone',
      look: ({ rule }) => (rule.then === 'drop' ? 'c-warn' : 't2'),
      cell: ({ rule }) => formatEffect(rule),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: ({ at }) => (
        <RuleActions
          at={at}
          last={(quietHours?.rules.length ?? 0) - 1}
          refusal={refusal}
          isMoving={move.isPending}
          onMove={(to) => move.mutate({ from: at, to })}
          onOpen={(verb) => onOpen({ verb, at })}
        />
      ),
    },
  ];
  return (
    <>
      {move.isError && <Refused error={move.error} />}
      <DataTable
        caption="Quiet hours, in the order in which they are checked"
        className="table-auto"
        columns={columns}
        rows={visibleRules}
        keyOf={({ at }) => at}
        isTall
      />
    </>
  );
}

interface RuleActionsProps {
  at: number;
  last: number;
  refusal: string | undefined;
  isMoving: boolean;
  onMove: (to: number) => void;
  onOpen: (verb: OpenDialog['verb']) => void;
}

function RuleActions({ at, last, refusal, isMoving, onMove, onOpen }: RuleActionsProps) {
  return (
    <>
      <span className="row justify-end flex-wrap wide">
        <Button
          small
          icon="up"
          label={`Move rule ${at + 1} up`}
          refusal={refusal}
          disabled={at === 0 || isMoving}
          onClick={() => onMove(at - 1)}
        />
        <Button
          small
          icon="dn"
          label={`Move rule ${at + 1} down`}
          refusal={refusal}
          disabled={at === last || isMoving}
          onClick={() => onMove(at + 1)}
        />
        <Button small refusal={refusal} label={`Change rule ${at + 1}`} onClick={() => onOpen('edit')}>
          Change…
        </Button>
        <Button small kind="bad" refusal={refusal} label={`Remove rule ${at + 1}`} onClick={() => onOpen('remove')}>
          Remove…
        </Button>
      </span>
      {refusal === undefined && (
        <span className="narrow">
          <Menu
            target={(open) => (
              <button type="button" {...open} className="btn s icon" aria-label={`More about rule ${at + 1}`}>
                <Icon name="more" size={14} />
              </button>
            )}
          >
            {at > 0 && <MenuItem onClick={() => onMove(at - 1)}>Move up</MenuItem>}
            {at < last && <MenuItem onClick={() => onMove(at + 1)}>Move down</MenuItem>}
            <MenuItem onClick={() => onOpen('edit')}>Change…</MenuItem>
            <MenuItem onClick={() => onOpen('remove')}>Remove…</MenuItem>
          </Menu>
        </span>
      )}
    </>
  );
}

function formatEffect({ then }: QuietRule): string {
  return then === 'wait' ? 'wait for the end' : 'dropped: suppressed';
}
