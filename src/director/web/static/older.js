// An earlier conversation: it scrolls, is searched and followed by its citations, and never changes.
import { Talk } from "./chat.js";

const own = encodeURIComponent(document.body.dataset.workflow);
new Talk(`/w/${own}/part/`, `/api/workflows/${own}/turn`);
