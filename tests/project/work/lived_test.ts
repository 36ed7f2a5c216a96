/** Is what the program says of a story true in a real repository, whatever has happened in it? */
import { agreeOnHistories } from "../../support/lived.ts";

Deno.test(
  "board, check, trace, review and mark agree in lived histories [work:lived]",
  async () => void await agreeOnHistories(50, 20_261_119),
);
