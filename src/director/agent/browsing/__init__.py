"""The live browser of a workflow, and what the model is shown of its pages."""
