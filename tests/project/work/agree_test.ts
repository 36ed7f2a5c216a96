/** Do board, check, next, marks, reconcile and the scripts agree on every story of generated projects? */
import { agreeOnProjects } from "../../support/work_agree.ts";

Deno.test(
  "all readers of a story agree in every form [work:agree]",
  async () => void await agreeOnProjects(25, 20_261_117),
);
