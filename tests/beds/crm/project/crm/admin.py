"""What the admin shows of them: ten on a page, a filter, a search."""

from __future__ import annotations

from django.contrib import admin

from crm.models import Company, Contact

admin.site.register(Company)


@admin.register(Contact)
class ContactAdmin(admin.ModelAdmin):
    """The list of contacts."""

    list_display = ("name", "email", "kind", "company")
    list_filter = ("kind",)
    search_fields = ("name", "email")
    list_per_page = 10
    ordering = ("name",)
