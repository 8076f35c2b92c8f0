"""One module per kind; make() gives its CustomResourceDefinition."""
