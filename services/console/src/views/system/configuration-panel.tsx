import type { System } from '#client/types.gen.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Chips } from '../../parts/lists/chips.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { countOf } from '../../parts/words/numbers.ts';

interface ConfigurationPanelProps {
  system: System;
  isAll: boolean;
  onShow: (isAll: boolean) => void;
}

type Variable = NonNullable<System['configuration']>[number];

/**
 * Configuration of the API process that sent the response. The process has read it at its start. It can be changed only
 * where the API is installed.
 */
export function ConfigurationPanel({ system: { configuration }, isAll, onShow }: ConfigurationPanelProps) {
  if (configuration === null) {
    return (
      <Panel title="Configuration" padded>
        <p className="t3 sm row gap-1">
          <Icon name="lock" size={14} />
          Shown to operators of the whole installation.
        </p>
      </Panel>
    );
  }
  const set = configuration.filter(({ from }) => from !== 'usual');
  const visibleVariables = isAll ? configuration : set;
  return (
    <Panel
      title="Configuration"
      note="of the API; secrets by length only"
      actions={
        <Chips
          label="Which variables"
          chosen={isAll ? 'all' : 'set'}
          chips={[
            { value: 'set', label: 'Set here', count: set.length },
            { value: 'all', label: 'All', count: configuration.length },
          ]}
          onChoose={(value) => onShow(value === 'all')}
        />
      }
      footer="Read at startup, so a change needs a restart. Change it where Muster is installed, not here."
    >
      <DataTable
        caption="Configuration"
        className="table-fixed [--row:29px] [&>tbody]:text-sm"
        columns={columns}
        rows={visibleVariables}
        keyOf={({ name }) => name}
      />
    </Panel>
  );
}

function Value({ variable: { value, from, secretLength } }: { variable: Variable }) {
  if (value !== null) return <span className="mono">{value}</span>;
  if (from === 'usual') return <span className="t3">default</span>;
  return (
    <span className="row gap-1 t2">
      <Icon name="lock" size={12} />
      {secretLength === null ? 'set, in a file' : `set, ${countOf(secretLength, 'character')}`}
    </span>
  );
}

const columns: readonly Column<Variable>[] = [
  { header: 'Name', look: 'mono truncate', title: ({ name }) => name, cell: ({ name }) => name },
  {
    header: 'Value',
    look: 'truncate',
    title: ({ value }) => value,
    cell: (variable) => <Value variable={variable} />,
  },
  { header: 'From', width: 'w-28', hideBelow: 'phone', look: 't3', cell: ({ from }) => from },
];
