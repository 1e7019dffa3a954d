import { SkeletonBar, SkeletonRows, usePatience } from '../../parts/standing/skeleton.tsx';
import styles from './user.module.css';

/** The page at its true height before its answer is there. */
export function UserSkeleton() {
  const isShown = usePatience();
  return (
    <div
      aria-busy="true"
      aria-label="What became of this user is being read"
      role="status"
      className={styles['skeleton']}
    >
      <h1 className="vh">User</h1>
      <div className={styles['skeletonHead']}>{isShown && <SkeletonBar width={200} />}</div>
      <section className={`panel ${styles['skeletonVerdict'] ?? ''}`}>{isShown && <SkeletonBar width="50%" />}</section>
      <section className={`panel ${styles['cut'] ?? ''}`}>
        <table>
          <tbody>
            <SkeletonRows rows={7} columns={[90, 320]} tall />
          </tbody>
        </table>
      </section>
    </div>
  );
}
