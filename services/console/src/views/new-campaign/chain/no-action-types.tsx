import { Empty } from '../../../parts/standing/states.tsx';

export function NoActionTypes() {
  return (
    <Empty icon="types" title="There is nothing to make a chain of" command="muster action-types create">
      An action type says how an endpoint is called and what it promises. Register one, and campaigns can use it at
      once.
    </Empty>
  );
}
